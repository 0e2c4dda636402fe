// ScannedRanges: what the map of blocks tells, beside what the chunks' tables say.
#include "gc/process/concurrent/scanned_ranges.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "base/page_memory.h"
#include "heap/allocator.h"
#include "heap/heap.h"
#include "mark/random_numbers.h"
#include "tests/scaled.h"

namespace jackdaw::gc {
namespace {

using heap::Contents;
using heap::kBlockBytes;
using heap::KindNumber;

constexpr std::size_t kOversizedBytes = heap::kChunkBytes + 3 * kBlockBytes;
constexpr std::size_t kBetween = kBlockBytes;
constexpr std::size_t kCoarselyBetween = std::size_t{2} << 20;

class ScannedRangesTest : public testing::Test {
 protected:
  heap::Object* allocate(std::size_t bytes, KindNumber kind = KindNumber::words) {
    heap::Object* const object = allocator_.allocate_plain(bytes, kind);
    EXPECT_NE(object, nullptr);
    if (object != nullptr) objects_.push_back(object);
    return object;
  }
  void allocate_at_random() {
    constexpr std::array<std::size_t, 4> kMost{heap::kLargestSmallBytes, 20 * kBlockBytes,
                                               heap::kChunkBytes / 3, 3 * heap::kChunkBytes};
    const std::uint32_t drawn = random_.below(256);
    const std::size_t most = kMost[drawn < 200 ? 0 : drawn < 250 ? 1 : drawn < 254 ? 2 : 3];
    const auto bytes = static_cast<std::size_t>(8 + random_.below(static_cast<std::uint32_t>(most)));
    const KindNumber kind = random_.below(10) < 7 ? KindNumber::data : random_kind();
    allocate(bytes, kind);
  }
  KindNumber random_kind() {
    return std::array{KindNumber::references, KindNumber::words, by_kind_}[random_.below(3)];
  }
  void sweep_at_random() {
    heap_.clear_marks();
    std::erase_if(objects_, [this](heap::Object* object) {
      if (random_.below(2) == 0) return true;
      heap::Chunk::of(object)->mark_exclusively(object);
      return false;
    });
    heap_.sweep();
  }

  // Returns the blocks that the tables of all chunks name, but for spares, which hold no objects yet. Notes
  // where the chunks lie.
  std::set<std::uintptr_t> blocks_to_scan() {
    std::set<std::uintptr_t> found;
    chunks_.clear();
    heap_.for_each_chunk([&](const heap::Chunk* chunk) {
      const auto begin = reinterpret_cast<std::uintptr_t>(chunk);
      chunks_.push_back({begin, begin + chunk->total_bytes()});
      for (std::size_t block = heap::kFirstBlock; block < heap::kBlocksPerChunk; ++block) {
        const heap::BlockInfo& info = chunk->block(block);
        if (info.use == heap::BlockUse::free || chunk->contents(block) == Contents::data) continue;
        if (!heap_.map().shape_at(begin + block * kBlockBytes).holds_objects()) continue;
        const std::size_t count = info.use == heap::BlockUse::large_head ? info.blocks : 1;
        for (std::size_t i = block; i < block + count; ++i) found.insert(begin + i * kBlockBytes);
      }
    });
    return found;
  }
  void compare() {
    const std::set<std::uintptr_t> expected = blocks_to_scan();
    std::set<std::uintptr_t> covered;
    for (std::uint32_t part = 0; part < ranges_.part_count(); ++part) {
      const std::uintptr_t begin = heap_.map().begin() + part * ScannedRanges::kPartBytes;
      const base::AddressRange part_range{begin, begin + ScannedRanges::kPartBytes};
      std::uintptr_t end_before = 0;
      ranges_.for_each_of(part, [&](base::AddressRange range) {
        compare_ends(range, part_range, expected);
        EXPECT_TRUE(end_before == 0 || range.begin > end_before + kBetween) << "in order, and far apart";
        end_before = range.end;
        std::uintptr_t scanned = range.begin;
        for (std::uintptr_t block = range.begin; block != range.end; block += kBlockBytes) {
          covered.insert(block);
          if (!expected.contains(block)) continue;
          EXPECT_LE(block - scanned, kBetween + kBlockBytes) << "few others";
          scanned = block;
        }
        expect_mapped(range);
      });
    }
    EXPECT_TRUE(std::ranges::includes(covered, expected));
    std::set<std::uintptr_t> covered_by_all;
    std::set<std::uintptr_t> covered_coarsely;
    const auto add_to = [this](std::set<std::uintptr_t>& blocks) {
      return [this, &blocks](base::AddressRange range) {
        expect_mapped(range);
        for (std::uintptr_t block = range.begin; block != range.end; block += kBlockBytes)
          EXPECT_TRUE(blocks.insert(block).second) << "once";
      };
    };
    ranges_.for_each(add_to(covered_by_all));
    for (std::uint32_t part = 0; part < ranges_.part_count(); ++part) {
      const std::uintptr_t begin = heap_.map().begin() + part * ScannedRanges::kPartBytes;
      const base::AddressRange part_range{begin, begin + ScannedRanges::kPartBytes};
      std::uintptr_t end_before = 0;
      ranges_.for_each_coarse_of(part, add_to(covered_coarsely));
      ranges_.for_each_coarse_of(part, [&](base::AddressRange range) {
        compare_ends(range, part_range, expected);
        EXPECT_TRUE(end_before == 0 || range.begin > end_before + kCoarselyBetween) << "in order, and few";
        end_before = range.end;
        compare_some_pages(range, expected);
      });
    }
    EXPECT_TRUE(std::ranges::includes(covered_by_all, expected));
    EXPECT_TRUE(std::ranges::includes(covered_coarsely, expected));
  }
  static void compare_ends(base::AddressRange range, base::AddressRange part_range,
                           const std::set<std::uintptr_t>& expected) {
    EXPECT_TRUE(part_range.contains(range) && !range.empty());
    EXPECT_TRUE(expected.contains(range.begin));
    EXPECT_TRUE(expected.contains(range.end - kBlockBytes));
  }
  // In a whole range, or some pages of it, the scanned parts are those in the expected blocks.
  void compare_some_pages(base::AddressRange range, const std::set<std::uintptr_t>& expected) {
    const auto page = static_cast<std::uintptr_t>(getpagesize());
    base::AddressRange pages = range;
    if (random_.below(2) == 0) {
      pages.begin += random_.below(static_cast<std::uint32_t>((range.end - range.begin) / page)) * page;
      pages.end -= random_.below(static_cast<std::uint32_t>((range.end - pages.begin) / page)) * page;
    }
    std::uintptr_t at = pages.begin;
    const auto expect_until = [&](std::uintptr_t end, bool is_scanned) {
      for (; at < end; at = std::min(end, (at | (kBlockBytes - 1)) + 1))
        EXPECT_EQ(expected.contains(at & ~(kBlockBytes - 1)), is_scanned);
    };
    ranges_.for_each_scanned_in(pages, [&](base::AddressRange scanned) {
      EXPECT_TRUE(pages.contains(scanned) && !scanned.empty());
      expect_until(scanned.begin, false);
      EXPECT_EQ(at, scanned.begin) << "in order";
      expect_until(scanned.end, true);
    });
    expect_until(pages.end, false);
  }
  void expect_mapped(base::AddressRange range) {
    const auto in_chunk =
        std::ranges::find_if(chunks_, [&](const base::AddressRange& chunk) { return chunk.contains(range); });
    ASSERT_NE(in_chunk, chunks_.end());
    const base::AddressRange found = ranges_.chunk_of(range);
    EXPECT_EQ(std::pair(found.begin, found.end), std::pair(in_chunk->begin, in_chunk->end));
    const base::AddressRange pages = base::pages_of(range);
    auto* const memory = reinterpret_cast<void*>(pages.begin);  // NOLINT(performance-no-int-to-ptr)
    std::vector<unsigned char> in_memory((pages.end - pages.begin) / base::page_bytes());
    EXPECT_EQ(mincore(memory, pages.end - pages.begin, in_memory.data()), 0) << "all of it is mapped";
  }
  std::uintptr_t bytes_in_ranges() const {
    std::uintptr_t bytes = 0;
    ranges_.for_each([&](base::AddressRange range) { bytes += range.end - range.begin; });
    return bytes;
  }

  mark::RandomNumbers random_{29};
  heap::Heap heap_;
  const KindNumber by_kind_ = heap_.add_kind({.contents = Contents::by_kind}).value();
  heap::Allocator allocator_{heap_};
  const ScannedRanges ranges_{heap_.map()};
  std::vector<heap::Object*> objects_;
  std::vector<base::AddressRange> chunks_;
};

TEST_F(ScannedRangesTest, AreNoneInAHeapWithoutReferences) {
  EXPECT_EQ(bytes_in_ranges(), 0U);
  for (const std::size_t bytes : {std::size_t{16}, 5 * kBlockBytes, kOversizedBytes})
    allocate(bytes, KindNumber::data);
  EXPECT_EQ(bytes_in_ranges(), 0U) << "nor with objects that have none";
}

TEST_F(ScannedRangesTest, CoverWhatMayHoldReferencesInARandomHeap) {
  for (int round = 0; round < (mark::kSanitized ? 2 : 6); ++round) {
    for (int i = 0; i < 1500; ++i) allocate_at_random();
    compare();
    ASSERT_FALSE(HasFailure()) << "round " << round;
    sweep_at_random();
    compare();
    ASSERT_FALSE(HasFailure()) << "swept, round " << round;
  }
}

TEST_F(ScannedRangesTest, FollowObjectsThatGrowShrinkAndGo) {
  for (const KindNumber kind : {KindNumber::words, KindNumber::data}) {
    const std::uintptr_t before = bytes_in_ranges();
    heap::Object* const object = allocate(kOversizedBytes, kind);
    for (const std::size_t bytes : {5 * heap::kChunkBytes, 3 * heap::kChunkBytes, kOversizedBytes}) {
      ASSERT_TRUE(heap_.resize_large(object, bytes));
      compare();
      EXPECT_EQ(bytes_in_ranges() - before, kind == KindNumber::data ? 0 : bytes);
    }
    heap_.free_large(object);
    compare();
    EXPECT_EQ(bytes_in_ranges(), before);
  }
}

TEST_F(ScannedRangesTest, ThatMayHaveHeldReferencesCoverFreedBlocksButNotLongData) {
  std::vector<heap::Object*> freed;
  for (int i = 0; i < 8; ++i) {
    freed.push_back(allocate(5 * kBlockBytes));
    allocate(kBlockBytes, KindNumber::data);
  }
  heap::Object* const data = allocate(2 * kCoarselyBetween, KindNumber::data);
  std::vector<base::AddressRange> before;
  ranges_.for_each([&](base::AddressRange range) { before.push_back(range); });
  for (heap::Object* const object : freed) heap_.free_large(object);
  EXPECT_EQ(bytes_in_ranges(), 0U);
  std::vector<base::AddressRange> covered;
  ranges_.for_each_not_data([&](base::AddressRange range) { covered.push_back(range); });
  for (const base::AddressRange range : before)
    EXPECT_TRUE(std::ranges::any_of(covered, [&](const auto& cover) { return cover.contains(range); }));
  const auto in_data = reinterpret_cast<std::uintptr_t>(data) + kCoarselyBetween;
  const base::AddressRange middle{in_data, in_data + kBlockBytes};
  EXPECT_FALSE(std::ranges::any_of(covered, [&](const auto& range) { return range.contains(middle); }));
}

TEST_F(ScannedRangesTest, ThereAreMorePartsWhenTheHeapHasGrown) {
  EXPECT_EQ(ranges_.part_count(), 0U);
  allocate(16);
  EXPECT_EQ(ranges_.part_count(), 1U);
  // More than the map has entries for at first.
  const std::size_t bytes = heap_.map().end() - heap_.map().begin() + kOversizedBytes;
  if (!heap_.may_hold(bytes)) GTEST_SKIP() << "too few addresses";
  heap::Object* const object = allocate(bytes);
  EXPECT_GT(ranges_.part_count(), bytes / ScannedRanges::kPartBytes);
  compare();
  EXPECT_EQ(bytes_in_ranges(), bytes + kBlockBytes);
  heap_.free_large(object);
  compare();
}

}  // namespace
}  // namespace jackdaw::gc
