// FiberStacks: the table, beside an ordered map.
#include "gc/process/threads/fiber_stacks.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <random>

#include "tests/address_space_limit.h"

namespace jackdaw::gc {
namespace {

using base::AddressRange;

constexpr std::uintptr_t kWord = 0;

class FiberStacksTest : public testing::Test {
 protected:
  FiberStacksTest() : lock_(mutex_) {}

  [[nodiscard]] static bool overlap(AddressRange one, AddressRange other) {
    return one.begin < other.end && other.begin < one.end;
  }
  // The end of the first stack in `expected_` that ends above an address.
  [[nodiscard]] auto first_above(std::uintptr_t address) const {
    auto stack = expected_.upper_bound(address);
    if (stack != expected_.begin() && std::prev(stack)->second > address) --stack;
    return stack;
  }
  [[nodiscard]] bool overlaps_any(AddressRange range) const {
    const auto stack = first_above(range.begin);
    return stack != expected_.end() && overlap({stack->first, stack->second}, range);
  }
  void add(AddressRange range) {
    ASSERT_TRUE(stacks_.add({range, &kWord}));
    expected_[range.begin] = range.end;
  }
  void expect_alike() const {
    auto expected = expected_.begin();
    for (std::uint32_t part = 0; part < stacks_.part_count(); ++part) {
      ASSERT_FALSE(stacks_.part(part).empty());
      for (const FiberStack& stack : stacks_.part(part)) {
        ASSERT_NE(expected, expected_.end());
        ASSERT_EQ(stack.bounds.begin, expected->first);
        ASSERT_EQ(stack.bounds.end, expected->second);
        ++expected;
      }
    }
    ASSERT_EQ(expected, expected_.end());
  }

  StoppableMutex mutex_;
  const std::lock_guard<StoppableMutex> lock_;
  FiberStacks stacks_{mutex_};
  std::map<std::uintptr_t, std::uintptr_t> expected_;
};

TEST_F(FiberStacksTest, AnEmptyTableHasNothing) {
  EXPECT_EQ(stacks_.find(1), nullptr);
  EXPECT_EQ(stacks_.overlapping({0, ~std::uintptr_t{0}}), nullptr);
  EXPECT_TRUE(stacks_.from(0).empty());
  EXPECT_EQ(stacks_.part_count(), 0U);
}

TEST_F(FiberStacksTest, StacksInEachOrderFillSeveralParts) {
  for (std::uintptr_t i = 1000; i > 0; --i) add({i * 100, i * 100 + 100});
  for (std::uintptr_t i = 1001; i <= 2000; ++i) add({i * 100, i * 100 + 50});
  EXPECT_GE(stacks_.part_count(), 2000 / FiberStacks::kMostOfAPart);
  expect_alike();
}

TEST_F(FiberStacksTest, StacksInOrderFillTheirParts) {
  const std::uintptr_t count = 4 * FiberStacks::kMostOfAPart;
  for (std::uintptr_t i = count; i > 0; --i) add({i * 100, i * 100 + 100});
  for (std::uintptr_t i = count + 1; i <= 2 * count; ++i) add({i * 100, i * 100 + 100});
  EXPECT_EQ(stacks_.part_count(), 8U);
  expect_alike();
}

TEST_F(FiberStacksTest, AnyOperationsLeaveWhatAMapHas) {
  std::mt19937_64 random(20260101);
  constexpr std::uintptr_t kAddresses = 1 << 20;
  for (int step = 0; step < 20'000; ++step) {
    const std::uintptr_t begin = random() % kAddresses;
    const AddressRange range{begin, begin + 1 + random() % 300};
    ASSERT_EQ(stacks_.overlapping(range) != nullptr, overlaps_any(range));
    const auto above = first_above(begin);
    const bool contains = above != expected_.end() && above->first <= begin;
    const FiberStack* const found = stacks_.find(begin);
    ASSERT_EQ(found != nullptr, contains);
    if (!contains) {
      if (!overlaps_any(range)) add(range);
      continue;
    }
    ASSERT_EQ(found->bounds.begin, above->first);
    // More are added than removed at first, then more are removed.
    if (random() % 4 < (step < 10'000 ? 1U : 3U)) {
      stacks_.remove(begin);
      expected_.erase(above);
      continue;
    }
    const AddressRange old{above->first, above->second};
    const std::uintptr_t new_begin = random() % 2 == 0 ? random() % kAddresses : old.begin - random() % 50;
    const AddressRange bounds{new_begin, new_begin + 1 + random() % 300};
    expected_.erase(above);
    if (overlaps_any(bounds)) {
      expected_[old.begin] = old.end;
      continue;
    }
    ASSERT_TRUE(stacks_.change(begin, bounds));
    expected_[bounds.begin] = bounds.end;
  }
  expect_alike();
}

// A full part is to be split for a stack in its midst, and for one at either end.
TEST_F(FiberStacksTest, NoMemoryForAPartChangesNothing) {
  for (std::uintptr_t i = 1; i <= FiberStacks::kMostOfAPart; ++i) add({i * 100, i * 100 + 50});
  for (const std::uintptr_t begin : {20U, 5060U, 90'000U}) {
    bool is_added = true;
    bool is_changed = true;
    {
      const AddressSpaceLimit no_memory(0);
      is_added = stacks_.add({{begin, begin + 10}, &kWord});
      is_changed = stacks_.change(700, {begin, begin + 10});
    }
    EXPECT_FALSE(is_added);
    EXPECT_FALSE(is_changed);
    EXPECT_EQ(stacks_.part_count(), 1U);
    expect_alike();
  }
  for (const std::uintptr_t begin : {20U, 5060U, 90'000U}) add({begin, begin + 10});
  expect_alike();
}

TEST_F(FiberStacksTest, WhatRunsIsForgottenAtTheNextStop) {
  add({100, 200});
  add({200, 300});
  FiberStack& first = *stacks_.find(150);
  first.scanned_from = 120;
  stacks_.find(250)->scanned_from = 220;
  stacks_.note_runs(first);
  EXPECT_EQ(stacks_.find(199)->scanned_from, FiberStack::kRuns);
  stacks_.forget_running();
  EXPECT_EQ(stacks_.find(100)->scanned_from, FiberStack::kNotScanned);
  EXPECT_EQ(stacks_.find(200)->scanned_from, 220U);
}

TEST_F(FiberStacksTest, ASavedPointerElsewhereMeansTheWholeStack) {
  std::uintptr_t saved = 150;
  const FiberStack stack{{100, 200}, &saved};
  EXPECT_EQ(stack.used().begin, 150U);
  saved = 200;
  EXPECT_TRUE(stack.used().empty());
  for (const std::uintptr_t outside : {std::uintptr_t{0}, std::uintptr_t{99}, std::uintptr_t{201}}) {
    saved = outside;
    EXPECT_EQ(stack.used().begin, 100U);
    EXPECT_EQ(stack.used().end, 200U);
  }
}

}  // namespace
}  // namespace jackdaw::gc
