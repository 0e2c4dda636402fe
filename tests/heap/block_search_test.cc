// BlockSearch: where several threads allocate, blocks come back to the processor that had them.
#include "heap/block_search.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <vector>

#include "heap/allocator.h"
#include "heap/heap.h"

namespace jackdaw::heap {
namespace {

// The heap gives 1, 2, 4, 8 and 16 blocks at a time: after this number none are at hand. An allocator that
// took them gets an eighth after a sweep, then 6 and 12.
constexpr std::size_t kSlotsOfBlock = kBlockBytes / kLargestSmallBytes;
constexpr std::size_t kBlocksOfBatches = 31;
constexpr std::size_t kManySlots = kBlocksOfBatches * kSlotsOfBlock;
constexpr std::size_t kSlotsAfterSweep = (3 + 6 + 12) * kSlotsOfBlock;

// The test's thread on two processors in turn, with an allocator for each.
class BlockSearchTest : public testing::Test {
 protected:
  void SetUp() override {
    if (sched_getaffinity(0, sizeof all_, &all_) != 0) GTEST_SKIP() << "there are too many processors";
    std::set<BlockSearch::Taker> takers;
    for (int processor = 0; processor < CPU_SETSIZE && processors_.size() < 2; ++processor) {
      if (!CPU_ISSET(processor, &all_) || !run_on(processor) || sched_getcpu() != processor) continue;
      if (takers.insert(BlockSearch::of_this_processor()).second) processors_.push_back(processor);
    }
    if (processors_.size() < 2) GTEST_SKIP() << "there are no two processors to choose from";
  }
  void TearDown() override { sched_setaffinity(0, sizeof all_, &all_); }

  static bool run_on(int processor) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
  }
  // Returns the blocks of `count` large slots that an allocator takes on a processor, in order.
  std::vector<std::uintptr_t> take(std::size_t which, std::size_t count) {
    EXPECT_TRUE(run_on(processors_.at(which)));
    std::vector<std::uintptr_t> blocks;
    for (std::size_t i = 0; i < count; ++i) {
      const auto slot = reinterpret_cast<std::uintptr_t>(
          allocators_.at(which).allocate_plain(kLargestSmallBytes, KindNumber::data));
      const std::uintptr_t block = slot / kBlockBytes;
      if (blocks.empty() || blocks.back() != block) blocks.push_back(block);
    }
    return blocks;
  }
  void sweep_all() {
    heap_.clear_marks();
    heap_.sweep();
  }
  static std::set<std::uintptr_t> as_set(const std::vector<std::uintptr_t>& blocks) {
    return {blocks.begin(), blocks.end()};
  }

  Heap heap_;
  std::array<Allocator, 2> allocators_{Allocator(heap_), Allocator(heap_)};
  std::vector<int> processors_;

 private:
  cpu_set_t all_{};
};

TEST_F(BlockSearchTest, ABlockComesBackToTheProcessorThatHadIt) {
  const std::vector<std::uintptr_t> first = take(0, kManySlots);
  const std::vector<std::uintptr_t> second = take(1, kManySlots);
  sweep_all();
  EXPECT_TRUE(std::ranges::includes(as_set(second), as_set(take(1, kSlotsAfterSweep))));
  EXPECT_TRUE(std::ranges::includes(as_set(first), as_set(take(0, kSlotsAfterSweep))));
  sweep_all();
  EXPECT_TRUE(std::ranges::includes(as_set(first), as_set(take(0, (2 + 4 + 8) * kSlotsOfBlock))));
}

TEST_F(BlockSearchTest, WhatNobodyElseTakesIsTaken) {
  std::vector<std::uintptr_t> all = take(0, kManySlots);
  const std::vector<std::uintptr_t> second = take(1, kManySlots);
  all.insert(all.end(), second.begin(), second.end());
  sweep_all();
  EXPECT_EQ(as_set(take(1, 2 * kManySlots)), as_set(all)) << "before memory that nobody wrote to";
}

TEST_F(BlockSearchTest, OneThreadAloneKeepsTheHeapDense) {
  const std::vector<std::uintptr_t> first = take(0, kManySlots);
  take(1, kManySlots);
  sweep_all();
  take(1, kManySlots);
  sweep_all();
  EXPECT_EQ(as_set(take(1, kManySlots)), as_set(first)) << "the lowest addresses";
}

TEST_F(BlockSearchTest, OneThreadIsAloneWhereOthersTakeLittle) {
  const std::vector<std::uintptr_t> first = take(0, kManySlots);
  take(1, 1);
  sweep_all();
  EXPECT_EQ(as_set(take(1, kManySlots)), as_set(first)) << "the lowest addresses";
}

TEST(BusyAllocators, AreCountedByHowMuchTheyTake) {
  const auto count_of = [](std::initializer_list<std::size_t> blocks) {
    BusyAllocators busy;
    for (const std::size_t each : blocks) busy.add(each);
    return busy.count();
  };
  EXPECT_EQ(count_of({}), std::nullopt);
  EXPECT_EQ(count_of({1, 0, 3}), std::nullopt) << "too few to tell";
  EXPECT_EQ(count_of({100}), 1U);
  EXPECT_EQ(count_of({100, 1, 1, 1, 1}), 1U);
  EXPECT_EQ(count_of({100, 80, 0}), 2U);
  EXPECT_EQ(count_of({100, 100, 100, 100}), 4U);
}

}  // namespace
}  // namespace jackdaw::heap
