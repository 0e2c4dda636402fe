// ClaimedPages: what each pass finds, beside what was written.
#include "gc/process/concurrent/claimed_pages.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "gc/process/concurrent/scanned_ranges.h"
#include "gc/process/concurrent/write_tracking.h"
#include "heap/allocator.h"
#include "heap/heap.h"
#include "mark/random_numbers.h"

namespace jackdaw::gc {
namespace {

using Clock = std::chrono::steady_clock;
using PageStarts = std::set<std::uintptr_t>;

class ClaimedPagesTest : public testing::Test {
 protected:
  void SetUp() override {
    tracking_.start();
    if (!tracking_.arms_while_running()) GTEST_SKIP() << "the system does not arm pages";
    for (const std::size_t bytes : {2 * heap::kChunkBytes, heap::kChunkBytes / 2, 3 * heap::kChunkBytes / 4})
      allocate(bytes);
    for (int i = 0; i < 20'000; ++i) allocate(16 + 16 * random_.below(60));
    claimed_.arm_all();
  }

  void allocate(std::size_t bytes) {
    auto* const start =
        reinterpret_cast<volatile char*>(allocator_.allocate_plain(bytes, heap::KindNumber::words));
    ASSERT_NE(start, nullptr);
    objects_.push_back({start, bytes});
    // A page that holds nothing yet may become part of a huge one that is written as a whole.
    for (std::size_t at = 0; at < bytes; at += page_bytes_) start[at] = 1;
  }
  struct Written {
    volatile char* start;
    std::size_t bytes;
  };
  void write(const Written& object, std::size_t at, PageStarts& pages) const {
    object.start[at] = 1;
    pages.insert(reinterpret_cast<std::uintptr_t>(object.start + at) & ~(page_bytes_ - 1));
  }
  // At some places, here and there or side by side.
  void write_some(PageStarts& pages) {
    const Written& object =
        objects_[random_.below(4) == 0 ? random_.below(3)
                                       : random_.below(static_cast<std::uint32_t>(objects_.size()))];
    std::size_t at = random_.below(static_cast<std::uint32_t>(object.bytes));
    for (std::uint32_t i = random_.below(40); at < object.bytes; at += page_bytes_, --i) {
      write(object, at, pages);
      if (i == 0) return;
    }
  }
  // Expects that all waiting pages were written since they were claimed last. Pieces may be shorter than
  // pages.
  void expect_written(std::uintptr_t& end_before) {
    for (const base::AddressRange piece : claimed_.waiting()) {
      EXPECT_LE(piece.end - piece.begin, ClaimedPages::kPieceBytes);
      EXPECT_LE(end_before, piece.begin) << "in order";
      end_before = piece.end;
      for (std::uintptr_t page = base::pages_of(piece).begin; page < piece.end; page += page_bytes_)
        EXPECT_TRUE(page < piece.begin || written_.erase(page) == 1U);
    }
  }
  // Claims pages, which may have been written.
  void claim_some(Clock::time_point deadline) {
    claimed_.claim_some(deadline);
    for (const base::AddressRange piece : claimed_.waiting())
      written_.erase(written_.lower_bound(piece.begin), written_.lower_bound(piece.end));
    claimed_.visited(claimed_.waiting().size());
  }
  void take_all() {
    claimed_.begin_pass();
    while (!claimed_.is_pass_over()) claim_some(Clock::time_point::max());
  }
  // Returns in how many calls pages were taken. `between` is called between two.
  template <typename Function>
  std::size_t pass(Function between) {
    std::size_t calls = 0;
    std::uintptr_t end_before = 0;
    claimed_.begin_pass();
    while (!claimed_.is_pass_over()) {
      if (claimed_.waiting().empty()) {
        claimed_.claim_some(random_.below(2) == 0 ? Clock::time_point::min() : Clock::time_point::max());
        ++calls;
        expect_written(end_before);
      }
      claimed_.visited(random_.below(static_cast<std::uint32_t>(claimed_.waiting().size()) + 1));
      between();
    }
    return calls;
  }

  const std::uintptr_t page_bytes_ = static_cast<std::uintptr_t>(getpagesize());
  mark::RandomNumbers random_{7};
  heap::Heap heap_;
  heap::Allocator allocator_{heap_};
  const ScannedRanges ranges_{heap_.map()};
  WriteTracking tracking_;
  ClaimedPages claimed_{ranges_, tracking_};
  std::vector<Written> objects_;
  PageStarts written_;
};

TEST_F(ClaimedPagesTest, AreThoseThatWereWrittenBeforeThePass) {
  pass([] {});
  ASSERT_FALSE(HasFailure()) << "armed at first";
  for (int round = 0; round < 30; ++round) {
    for (std::uint32_t writes = random_.below(300); writes != 0; --writes) write_some(written_);
    pass([] {});
    EXPECT_EQ(written_, PageStarts{});
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

TEST_F(ClaimedPagesTest, WhatIsWrittenInAPassIsFoundByTheNextAtTheLatest) {
  for (int round = 0; round < 30; ++round) {
    PageStarts meanwhile;
    const auto write = [&] {
      PageStarts now;
      if (random_.below(4) == 0) write_some(now);
      written_.insert(now.begin(), now.end());
      meanwhile.insert(now.begin(), now.end());
    };
    for (int writes = 0; writes < 50; ++writes) write_some(written_);
    pass(write);
    for (const std::uintptr_t page : written_) EXPECT_TRUE(meanwhile.contains(page));
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  pass([] {});
  EXPECT_EQ(written_, PageStarts{});
}

TEST_F(ClaimedPagesTest, SomeAreTakenHoweverLittleTimeThereIs) {
  pass([] {});
  std::size_t ranges = 0;
  ranges_.for_each([&](base::AddressRange) { ++ranges; });
  for (int writes = 0; writes < 200; ++writes) write_some(written_);
  const std::size_t most = ranges + written_.size() / WriteTracking::kSomeRuns + 1;
  std::uintptr_t end_before = 0;
  claimed_.begin_pass();
  for (std::size_t calls = 0; !claimed_.is_pass_over(); ++calls) {
    ASSERT_LE(calls, most);
    claimed_.claim_some(Clock::time_point::min());
    expect_written(end_before);
    claimed_.visited(claimed_.waiting().size());
  }
  EXPECT_EQ(written_, PageStarts{});
}

// Protected pages are no longer protected: the rest of each range counts as dirty. It may begin in blocks
// that hold nothing any more.
TEST_F(ClaimedPagesTest, AreAllThatIsLeftOnceTheSystemRefuses) {
  const std::size_t first = objects_.size();
  for (int i = 0; i < 200; ++i) allocate(3 * heap::kBlockBytes);
  for (std::size_t i = first; i < objects_.size(); i += 2)
    heap_.free_large(reinterpret_cast<heap::Object*>(const_cast<char*>(objects_[i].start)));
  bool is_over = false;
  for (std::size_t taken = 0; !is_over; ++taken) {
    take_all();
    written_.clear();
    PageStarts in_free_blocks;
    for (std::size_t i = first; i < objects_.size(); ++i) {
      for (std::size_t at = 0; at < objects_[i].bytes; at += 2 * page_bytes_)
        write(objects_[i], at, (i - first) % 2 == 0 ? in_free_blocks : written_);
    }
    claimed_.begin_pass();
    for (std::size_t calls = 0; calls < taken; ++calls) claim_some(Clock::time_point::min());
    is_over = claimed_.is_pass_over();
    tracking_.after_fork_in_child();
    tracking_.start();
    while (!claimed_.is_pass_over()) claim_some(Clock::time_point::max());
    EXPECT_EQ(written_, PageStarts{}) << "after " << taken << " calls";
  }
}

TEST_F(ClaimedPagesTest, AllThatLiesInANewChunkCountsAsWritten) {
  allocate(heap::kChunkBytes);
  const auto start = reinterpret_cast<std::uintptr_t>(objects_.back().start);
  for (std::uintptr_t page = start; page < start + heap::kChunkBytes; page += page_bytes_)
    written_.insert(page);
  take_all();
  EXPECT_EQ(written_, PageStarts{});
  // From now on only written pages count.
  pass([] {});
  EXPECT_FALSE(HasFailure());
  write_some(written_);
  pass([] {});
  EXPECT_EQ(written_, PageStarts{});
}

}  // namespace
}  // namespace jackdaw::gc
