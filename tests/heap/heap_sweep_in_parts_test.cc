// Marking and sweeping while threads allocate: what comes between the parts of a sweep survives it,
// explicitly freed objects stay until then, and objects that a marker asks for are found.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include "base/processor_time.h"
#include "base/sanitizers.h"
#include "base/work_time.h"
#include "heap/allocator.h"
#include "heap/heap.h"
#include "mark/random_numbers.h"
#include "tests/heap/contents.h"
#include "tests/scaled.h"

namespace jackdaw::heap {
namespace {

constexpr std::size_t kOversizedBytes = kChunkBytes + 3 * kBlockBytes;
constexpr std::size_t kMostOfAChunk = (kUsableBlocks - 8) * kBlockBytes;

class HeapSweepInPartsTest : public testing::Test {
 protected:
  Object* allocate(std::size_t bytes, KindNumber kind = KindNumber::words) {
    Object* const object = allocator_.allocate_plain(bytes, kind);
    EXPECT_NE(object, nullptr);
    return object;
  }
  // Allocates an object of which only the ends are ever written.
  Object* allocate_filled(std::size_t bytes, std::uint64_t key) {
    Object* const object = allocate(bytes);
    fill_contents(object, std::min(bytes, kBlockBytes), key);
    return object;
  }
  void mark_only(const std::vector<Object*>& live) {
    heap_.clear_marks();
    for (Object* const object : live) Chunk::of(object)->mark_exclusively(object);
  }
  // Chunks with some small objects each.
  std::vector<Object*> fill_chunks(std::size_t chunks, std::size_t bytes) {
    std::vector<Object*> objects;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      fillers_.push_back(allocate(kMostOfAChunk));
      for (std::size_t i = 0; i < 8 * (kBlockBytes / bytes); ++i)
        objects.push_back(allocate_filled(bytes, objects.size()));
    }
    return objects;
  }

  Heap heap_;
  Allocator allocator_{heap_};
  std::vector<Object*> fillers_;
};

TEST_F(HeapSweepInPartsTest, OnlyTheTimeOfAllocationsThatSweepCounts) {
  const auto allocate_one_of = [this](std::size_t bytes) {
    const std::chrono::nanoseconds before = heap_.work_time().total();
    const std::chrono::nanoseconds own_before = base::processor_time();
    allocate(bytes);
    const std::chrono::nanoseconds time = heap_.work_time().total() - before;
    EXPECT_LE(time, base::processor_time() - own_before);
    return time;
  };
  fill_chunks(4, 512);
  EXPECT_EQ(heap_.work_time().total(), std::chrono::nanoseconds::zero());
  mark_only({});
  heap_.start_sweep(OwnedBlocks::taken_back);
  EXPECT_GT(allocate_one_of(256), std::chrono::nanoseconds::zero());
  {
    const base::WorkTime::Span collection(heap_.work_time());
    allocate(kMostOfAChunk);
    EXPECT_GT(heap_.work_time().total(), std::chrono::nanoseconds::zero());
  }
  heap_.finish_sweep();
  EXPECT_EQ(allocate_one_of(128), std::chrono::nanoseconds::zero());
}

TEST_F(HeapSweepInPartsTest, AllocationBetweenThePartsGetsOnlyWhatIsFree) {
  constexpr std::size_t kBytes = 512;
  for (const OwnedBlocks owned : {OwnedBlocks::left, OwnedBlocks::taken_back}) {
    mark::RandomNumbers random(7);
    const std::vector<Object*> objects = fill_chunks(4, kBytes);
    std::vector<Object*> live = fillers_;
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      if (random.below(3) != 0) continue;
      live.push_back(objects[i]);
      kept.push_back(i);
    }
    mark_only(live);
    heap_.start_sweep(owned);
    std::set<Object*> all(live.begin(), live.end());
    std::vector<Object*> added;
    const auto add_some = [&] {
      for (std::size_t i = 0; i < 40; ++i) {
        added.push_back(allocate(kBytes));
        ASSERT_TRUE(all.insert(added.back()).second);
        ASSERT_TRUE(is_cleared(added.back(), kBytes));
        fill_contents(added.back(), kBytes, 100'000 + added.size());
      }
    };
    add_some();
    while (!heap_.sweep_some()) add_some();
    for (int i = 0; i < 50; ++i) add_some();
    for (const std::size_t i : kept) EXPECT_TRUE(has_contents(objects[i], kBytes, i));
    for (std::size_t i = 0; i < added.size(); ++i)
      EXPECT_TRUE(has_contents(added[i], kBytes, 100'001 + i)) << i;
    mark_only({});
    heap_.sweep();
    fillers_.clear();
  }
}

TEST_F(HeapSweepInPartsTest, WhatIsFoundLiveIsWhatWasMarked) {
  const std::vector<Object*> objects = fill_chunks(3, 256);
  std::vector<Object*> live = fillers_;
  for (std::size_t i = 0; i < objects.size(); i += 5) live.push_back(objects[i]);
  mark_only(live);
  heap_.start_sweep(OwnedBlocks::left);
  std::size_t parts = 1;
  while (!heap_.sweep_some()) ++parts;
  EXPECT_EQ(parts, 3U);
  EXPECT_TRUE(heap_.sweep_some()) << "nothing is left of it";
  EXPECT_EQ(heap_.swept().live_objects, live.size());
}

// The allocator owns a block of one size, and takes fresh blocks of others.
TEST_F(HeapSweepInPartsTest, WhatComesAfterTheStartSurvives) {
  const std::vector<Object*> old_objects = fill_chunks(3, 1024);
  Object* const owned = allocate(48);
  std::vector<Object*> live = fillers_;
  for (std::size_t i = 0; i < old_objects.size(); i += 7) live.push_back(old_objects[i]);
  live.push_back(owned);
  mark_only(live);
  heap_.start_sweep(OwnedBlocks::left);
  std::vector<std::size_t> sizes;
  for (int round = 0; round < 3; ++round) {
    for (const std::size_t bytes : std::initializer_list<std::size_t>{
             48, 48, 64, 2048, 1024, 8192, 3 * kBlockBytes, kMostOfAChunk, kOversizedBytes})
      sizes.push_back(bytes);
  }
  std::vector<Object*> added;
  for (const std::size_t bytes : sizes) {
    added.push_back(allocate_filled(bytes, 1000 + added.size()));
    if (added.size() % 9 == 0) heap_.sweep_some();
  }
  heap_.finish_sweep();
  std::set<Object*> all(live.begin(), live.end());
  for (Object* const object : added) EXPECT_TRUE(all.insert(object).second);
  for (int i = 0; i < 20'000; ++i) {
    Object* const object = allocate(sizes[static_cast<std::size_t>(i) % 6]);
    ASSERT_TRUE(all.insert(object).second);
    std::memset(reinterpret_cast<std::byte*>(object), 0xee, sizes[static_cast<std::size_t>(i) % 6]);
  }
  for (std::size_t i = 0; i < added.size(); ++i) {
    EXPECT_EQ(heap_.object_at(added[i]), added[i]) << sizes[i];
    EXPECT_TRUE(has_contents(added[i], std::min(sizes[i], kBlockBytes), 1000 + i)) << sizes[i];
  }
  mark_only({});
  heap_.sweep();
  for (Object* const object : added) EXPECT_EQ(heap_.object_at(object), nullptr);
}

// Whatever is taken while objects are marked has its marks.
TEST_F(HeapSweepInPartsTest, FreshBlocksAreMarked) {
  heap_.begin_marking();
  for (std::size_t chunk = 0; heap_.clear_marks_while_allocating(chunk); ++chunk) continue;
  std::vector<Object*> added;
  for (std::uint8_t size_class = 0; size_class < SizeClasses::kCount; ++size_class)
    added.push_back(allocate(SizeClasses::slot_bytes(size_class)));
  for (const std::size_t bytes : {2 * kBlockBytes, kMostOfAChunk, kOversizedBytes})
    added.push_back(allocate(bytes));
  for (Object* const object : added) EXPECT_TRUE(Chunk::of(object)->is_marked(object));
  heap_.end_marking();
  heap_.sweep(OwnedBlocks::left);
  for (Object* const object : added) EXPECT_EQ(heap_.object_at(object), object);
}

TEST_F(HeapSweepInPartsTest, KnowsWhichBlocksWereTakenSinceTheMarkingBegan) {
  const std::vector<Object*> old_objects{allocate(8192), allocate(2 * kBlockBytes),
                                         allocate(kOversizedBytes)};
  Object* const kept = allocate(4096);
  mark_only({kept, old_objects[0], old_objects[1], old_objects[2]});
  heap_.sweep();
  for (int marking = 0; marking < 200; ++marking) {
    heap_.begin_marking();
    std::vector<Object*> added;
    for (const std::size_t bytes : {std::size_t{512}, 2 * kBlockBytes}) added.push_back(allocate(bytes));
    for (Object* const object : old_objects) EXPECT_FALSE(heap_.is_block_new(object)) << marking;
    for (Object* const object : added) EXPECT_TRUE(heap_.is_block_new(object)) << marking;
    EXPECT_FALSE(heap_.is_block_new(kept)) << marking;
    if (marking == 0) {
      Object* const beside = allocate(4096);
      EXPECT_EQ(Chunk::of(beside)->block_index(reinterpret_cast<std::byte*>(beside)),
                Chunk::of(kept)->block_index(reinterpret_cast<std::byte*>(kept)));
      EXPECT_TRUE(heap_.is_block_new(kept)) << "its block was taken from the list of partly free ones";
    }
    heap_.end_marking();
    EXPECT_FALSE(heap_.is_block_new(added[0]));
    mark_only({kept, old_objects[0], old_objects[1], old_objects[2]});
    heap_.sweep();
  }
}

// And where memory was used before, too: the marks that the last use left are no longer there.
TEST_F(HeapSweepInPartsTest, BlocksThatWereUsedBeforeAreMarkedWhenTheyAreTaken) {
  std::vector<Object*> old_objects;
  for (std::size_t i = 0; i < 4 * kBlockBytes / 32; ++i) old_objects.push_back(allocate(32));
  mark_only({});
  heap_.sweep();
  heap_.begin_marking();
  for (std::size_t chunk = 0; heap_.clear_marks_while_allocating(chunk); ++chunk) continue;
  std::vector<Object*> added;
  for (std::size_t i = 0; i < 4 * kBlockBytes / 48; ++i) added.push_back(allocate(48));
  added.push_back(allocate(2 * kBlockBytes));
  for (Object* const object : added) EXPECT_TRUE(Chunk::of(object)->is_marked(object));
  heap_.end_marking();
}

TEST_F(HeapSweepInPartsTest, LargeObjectsFreedByHandStayUntilTheSweep) {
  for (const bool marked : {false, true}) {
    const std::vector<std::size_t> sizes{kBlockBytes + 8, 20 * kBlockBytes, kOversizedBytes};
    std::vector<Object*> objects;
    for (std::size_t i = 0; i < sizes.size(); ++i) objects.push_back(allocate_filled(sizes[i], i));
    heap_.begin_marking();
    mark_only(marked ? objects : std::vector<Object*>{});
    for (Object* const object : objects) {
      const std::uint64_t allocated = heap_.allocated_bytes();
      heap_.free_large(object);
      EXPECT_EQ(heap_.allocated_bytes(), allocated) << "its memory is of no use yet";
      heap_.free_large(object);
      EXPECT_EQ(heap_.allocated_bytes(), allocated);
    }
    for (int i = 0; i < 200; ++i) {
      Object* const other = allocate(i % 2 == 0 ? 2 * kBlockBytes : 8000);
      std::memset(reinterpret_cast<std::byte*>(other), 0xee, 8000);
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_EQ(heap_.object_at(objects[i]), nullptr) << "it is no object any more";
      EXPECT_TRUE(has_contents(objects[i], kBlockBytes, i)) << sizes[i];
    }
    heap_.end_marking();
    heap_.sweep();
    for (Object* const object : objects) EXPECT_EQ(heap_.object_at(object), nullptr);
  }
}

// Markers visit it in slices, which its length tells.
TEST_F(HeapSweepInPartsTest, WhatHoldsReferencesKeepsItsLengthWhileObjectsAreMarked) {
  Object* const words = allocate(20 * kBlockBytes);
  const auto data_kind = heap_.add_kind({.contents = Contents::data});
  ASSERT_TRUE(data_kind.has_value());
  Object* const data = heap_.allocate_large(20 * kBlockBytes, *data_kind);
  heap_.begin_marking();
  EXPECT_FALSE(heap_.resize_large(words, 21 * kBlockBytes));
  EXPECT_FALSE(heap_.resize_large(words, 19 * kBlockBytes));
  EXPECT_TRUE(heap_.resize_large(words, 20 * kBlockBytes));
  EXPECT_TRUE(heap_.resize_large(data, 19 * kBlockBytes));
  heap_.end_marking();
  EXPECT_TRUE(heap_.resize_large(words, 19 * kBlockBytes));
}

TEST_F(HeapSweepInPartsTest, NoChunkGoesAwayWhileObjectsAreMarked) {
  for (int i = 0; i < 24; ++i) allocate(kMostOfAChunk);
  Object* const oversized = allocate(kOversizedBytes);
  mark_only({});
  heap_.sweep();
  fill_chunks(1, 4096);
  const std::size_t before = heap_.chunk_count();
  ASSERT_GT(before, 1U);
  heap_.begin_marking();
  EXPECT_EQ(heap_.release_free_memory(), 0U);
  EXPECT_EQ(heap_.chunk_count(), before);
  heap_.end_marking();
  EXPECT_GT(heap_.release_free_memory(), 0U);
  EXPECT_LT(heap_.chunk_count(), before);
  EXPECT_EQ(heap_.object_at(oversized), nullptr);
}

// Between any two parts, the oversized object of any chunk, swept or not.
TEST_F(HeapSweepInPartsTest, AnOversizedObjectFreedInTheMidstSkipsNoChunk) {
  constexpr std::size_t kChunks = 5;
  for (std::size_t freed = 0; freed < kChunks; ++freed) {
    for (std::size_t parts = 0; parts < kChunks; ++parts) {
      Heap heap;
      std::vector<Object*> objects;
      for (std::size_t chunk = 0; chunk < kChunks; ++chunk)
        objects.push_back(
            heap.allocate_large(chunk == freed ? kOversizedBytes : kMostOfAChunk, KindNumber::words));
      heap.clear_marks();
      Chunk::of(objects[freed])->mark_exclusively(objects[freed]);
      heap.start_sweep(OwnedBlocks::left);
      for (std::size_t part = 0; part < parts; ++part) EXPECT_FALSE(heap.sweep_some());
      heap.free_large(objects[freed]);
      heap.finish_sweep();
      for (Object* const object : objects)
        EXPECT_EQ(heap.object_at(object), nullptr) << "freed " << freed << " after " << parts;
    }
  }
}

// Their memory may go away while a thread that found one reads it.
TEST_F(HeapSweepInPartsTest, DeadObjectsAreNotFoundBeforeTheyAreSwept) {
  const std::vector<Object*> objects = fill_chunks(3, 512);
  std::vector<Object*> live = fillers_;
  for (std::size_t i = 0; i < objects.size(); i += 3) live.push_back(objects[i]);
  std::vector<Object*> dead_large;
  for (int i = 0; i < 3; ++i) dead_large.push_back(allocate(i == 0 ? kOversizedBytes : 3 * kBlockBytes));
  mark_only(live);
  heap_.start_sweep(OwnedBlocks::left);
  for (bool is_last = false; !is_last; is_last = heap_.sweep_some()) {
    for (std::size_t i = 0; i < objects.size(); ++i)
      ASSERT_EQ(heap_.object_at(objects[i]), i % 3 == 0 ? objects[i] : nullptr) << i;
    for (Object* const object : dead_large) ASSERT_EQ(heap_.object_at(object), nullptr);
    for (Object* const object : fillers_) ASSERT_EQ(heap_.object_at(object), object);
    // In a block at hand, in one that is taken now, and in blocks of its own.
    for (const std::size_t bytes : {std::size_t{512}, std::size_t{48}, 2 * kBlockBytes}) {
      Object* const object = allocate(bytes);
      EXPECT_EQ(heap_.object_at(object), object);
    }
  }
}

// Another thread that goes on asking about an address while the chunk comes and goes.
TEST_F(HeapSweepInPartsTest, StaleAddressesMayBeAskedAboutAtAnyTime) {
  if (base::kThreadSanitizer) GTEST_SKIP() << "a block's entry may be read while it is written";
  std::vector<Object*> addresses;
  for (int i = 0; i < 4; ++i) addresses.push_back(heap_.allocate_large(kOversizedBytes, KindNumber::words));
  std::atomic<bool> is_over{false};
  std::thread asking([&] {
    while (!is_over.load()) {
      for (Object* const address : addresses) {
        Object* const object = heap_.object_at(reinterpret_cast<std::byte*>(address) + kBlockBytes);
        EXPECT_TRUE(object == nullptr || object == address);
      }
    }
  });
  std::vector<Object*> objects = addresses;
  for (std::size_t round = 0; round < mark::scaled(100); ++round) {
    for (Object* const object : objects) heap_.free_large(object);
    for (Object*& object : objects) object = heap_.allocate_large(kOversizedBytes, KindNumber::words);
  }
  is_over.store(true);
  asking.join();
}

// ---- What markers ask for ----

struct Extent {
  Object* object;
  std::uintptr_t begin;
  std::uintptr_t end;  // of its slot, or of its blocks
};

class MarkedBetweenTest : public HeapSweepInPartsTest {
 protected:
  void add(std::size_t bytes, std::size_t taken, KindNumber kind) {
    Object* const object = allocate(bytes, kind);
    objects_.push_back(object);
    if (kind == KindNumber::data) return;
    const auto begin = reinterpret_cast<std::uintptr_t>(object);
    extents_.push_back({object, begin, begin + taken});
  }
  void mark_some() {
    heap_.clear_marks();
    for (Object* const object : objects_) {
      if (random_.below(2) == 0) Chunk::of(object)->mark_exclusively(object);
    }
  }
  void compare(std::uintptr_t begin, std::uintptr_t end) {
    std::vector<Object*> expected;
    for (const Extent& extent : extents_) {
      if (extent.begin < end && begin < extent.end && Chunk::of(extent.object)->is_marked(extent.object))
        expected.push_back(extent.object);
    }
    std::vector<Object*> found;
    heap_.for_each_marked_between(begin, end, [&](Object* object) { found.push_back(object); });
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(found, expected) << "block offset " << begin % kBlockBytes << ", bytes " << end - begin;
  }
  // Random ranges in the block with that address, and all of it.
  void compare_in_block(std::uintptr_t address) {
    const std::uintptr_t block = address & ~(kBlockBytes - 1);
    compare(block, block + kBlockBytes);
    for (int i = 0; i < 20; ++i) {
      const std::uint32_t first = random_.below(kBlockBytes);
      const std::uint32_t bytes = 1 + random_.below(kBlockBytes - first);
      compare(block + first, block + first + bytes);
    }
    for (std::uintptr_t page = 0; page < kBlockBytes; page += 4096)
      compare(block + page, block + page + 4096);
  }

  mark::RandomNumbers random_{13};
  std::vector<Object*> objects_;
  std::vector<Extent> extents_;
};

TEST_F(MarkedBetweenTest, SmallObjectsOfEverySizeClass) {
  for (std::uint8_t size_class = 0; size_class < SizeClasses::kCount; ++size_class) {
    const std::size_t bytes = SizeClasses::slot_bytes(size_class);
    for (const KindNumber kind : {KindNumber::words, KindNumber::data}) {
      objects_.clear();
      extents_.clear();
      std::set<std::uintptr_t> blocks;
      for (std::size_t i = 0; i < kBlockBytes / bytes * 3 / 2 + 1; ++i) {
        add(bytes, bytes, kind);
        blocks.insert(reinterpret_cast<std::uintptr_t>(objects_.back()) & ~(kBlockBytes - 1));
      }
      mark_some();
      // The slots that the allocator has before it count as marked objects or not: they are left out.
      while (Object* const rest = allocator_.allocate_from_run(bytes, kind)) {
        objects_.push_back(rest);
        const auto begin = reinterpret_cast<std::uintptr_t>(rest);
        if (kind != KindNumber::data) extents_.push_back({rest, begin, begin + bytes});
      }
      for (const std::uintptr_t block : blocks) compare_in_block(block);
      ASSERT_FALSE(HasFatalFailure()) << bytes << " bytes";
    }
  }
}

TEST_F(MarkedBetweenTest, LargeObjects) {
  for (const std::size_t blocks : {std::size_t{1}, std::size_t{3}, std::size_t{40}}) {
    for (int i = 0; i < 6; ++i) {
      for (const KindNumber kind : {KindNumber::words, KindNumber::data})
        add(std::max(blocks * kBlockBytes - 4000, kLargestSmallBytes + 8), blocks * kBlockBytes, kind);
    }
  }
  const std::size_t blocks = (kOversizedBytes + kBlockBytes - 1) / kBlockBytes;
  add(kOversizedBytes, blocks * kBlockBytes, KindNumber::words);
  for (int round = 0; round < 2; ++round) {
    mark_some();
    for (Object* const object : objects_) {
      const auto begin = reinterpret_cast<std::uintptr_t>(object);
      compare_in_block(begin);
      compare_in_block(begin + Heap::bytes_of(object) - 1);
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

}  // namespace
}  // namespace jackdaw::heap
