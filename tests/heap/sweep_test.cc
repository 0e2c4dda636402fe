// Sweeping: unmarked memory is used again, marked memory never; the figures and the walk over marked objects.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/page_memory.h"
#include "heap/allocator.h"
#include "heap/heap.h"
#include "mark/random_numbers.h"
#include "tests/heap/contents.h"
#include "tests/heap/marks.h"
#include "tests/scaled.h"

namespace jackdaw::heap {
namespace {

class SweepTest : public testing::Test {
 protected:
  Object* allocate(std::size_t bytes) {
    Object* const object = allocator_.allocate(data_, bytes);
    EXPECT_NE(object, nullptr);
    return object;
  }
  std::vector<Object*> allocate_many(std::size_t count, std::size_t bytes) {
    std::vector<Object*> objects;
    for (std::size_t i = 0; i < count; ++i) objects.push_back(allocate(bytes));
    return objects;
  }
  std::vector<Object*> marked() {
    std::vector<Object*> objects;
    heap_.for_each_marked([&](Object* object) { objects.push_back(object); });
    return objects;
  }

  Heap heap_;
  Allocator allocator_{heap_};
  const TypeDescriptor data_ = TypeDescriptor::none(0);
};

// A block of 8 slots in all 256 states: what is free is what is allocated next, and nothing else is touched.
TEST_F(SweepTest, EveryPatternOfHolesIsFilledAndNothingElse) {
  constexpr std::size_t kBytes = 2048;
  constexpr std::size_t kSlots = kBlockBytes / kBytes;
  for (unsigned pattern = 1; pattern < (1U << kSlots); ++pattern) {
    const std::vector<Object*> objects = allocate_many(kSlots, kBytes);
    std::vector<Object*> live;
    std::set<Object*> holes;
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      ASSERT_EQ(Chunk::of(objects[slot])->block_index(reinterpret_cast<std::byte*>(objects[slot])),
                Chunk::of(objects[0])->block_index(reinterpret_cast<std::byte*>(objects[0])));
      fill_contents(objects[slot], kBytes, slot);
      if ((pattern >> slot & 1) != 0) {
        live.push_back(objects[slot]);
      } else {
        holes.insert(objects[slot]);
      }
    }
    EXPECT_EQ(keep_only(heap_, live).live_objects, live.size());
    std::set<Object*> filled;
    for (std::size_t i = 0; i < holes.size(); ++i) {
      Object* const object = allocate(kBytes);
      ASSERT_TRUE(is_cleared(object, kBytes));
      fill_contents(object, kBytes, 1000 + i);
      filled.insert(object);
    }
    EXPECT_EQ(filled, holes) << "pattern " << pattern;
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      if ((pattern >> slot & 1) != 0) {
        ASSERT_TRUE(has_contents(objects[slot], kBytes, slot)) << "pattern " << pattern;
      }
    }
    keep_nothing(heap_);
  }
}

TEST_F(SweepTest, RandomHolesOfEverySizeClassAreFilled) {
  mark::RandomNumbers random(3);
  for (std::uint8_t size_class = 0; size_class < SizeClasses::kCount; ++size_class) {
    const std::size_t bytes = SizeClasses::slot_bytes(size_class);
    const std::size_t per_block = kBlockBytes / bytes;
    const std::vector<Object*> objects = allocate_many(5 * per_block, bytes);
    std::vector<Object*> live;
    std::set<Object*> holes;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      fill_contents(objects[i], bytes, i);
      // The first of each block lives, so that no block becomes free as a whole and goes to the heap's free
      // blocks.
      if (i % per_block == 0 || random.below(3) == 0) {
        live.push_back(objects[i]);
      } else {
        holes.insert(objects[i]);
      }
    }
    keep_only(heap_, live);
    std::set<Object*> filled;
    for (std::size_t i = 0; i < holes.size(); ++i) {
      Object* const object = allocate(bytes);
      ASSERT_TRUE(is_cleared(object, bytes));
      filled.insert(object);
    }
    EXPECT_EQ(filled, holes) << bytes << " bytes";
    for (std::size_t i = 0; i < objects.size(); ++i) {
      if (holes.count(objects[i]) == 0) {
        ASSERT_TRUE(has_contents(objects[i], bytes, i)) << bytes << " bytes";
      }
    }
    keep_nothing(heap_);
  }
}

TEST_F(SweepTest, FullBlocksAreLeftAlone) {
  const std::vector<Object*> objects = allocate_many(10 * kBlockBytes / 64, 64);
  const SweepResult result = keep_only(heap_, objects);
  EXPECT_EQ(result.live_objects, objects.size());
  EXPECT_EQ(result.live_bytes, objects.size() * 64);
  const std::set<Object*> before(objects.begin(), objects.end());
  for (Object* const object : allocate_many(3 * kBlockBytes / 64, 64)) EXPECT_EQ(before.count(object), 0U);
}

// Objects allocated after a sweep have no mark; they live until the next one.
TEST_F(SweepTest, WhatIsAllocatedAfterASweepIsNotGivenOutTwice) {
  const std::vector<Object*> old_objects = allocate_many(2000, 48);
  std::vector<Object*> live;
  for (std::size_t i = 0; i < old_objects.size(); i += 3) live.push_back(old_objects[i]);
  keep_only(heap_, live);
  std::set<Object*> all(live.begin(), live.end());
  for (std::size_t i = 0; i < 5000; ++i) ASSERT_TRUE(all.insert(allocate(48)).second);
}

TEST(SweepReuse, HolesServeObjectsOfTheSameContentsOnly) {
  Heap heap;
  Allocator allocator(heap);
  const TypeDescriptor data = TypeDescriptor::none(64);
  const TypeDescriptor references = TypeDescriptor::all_words(64);
  std::vector<Object*> live;
  std::set<Object*> holes_of_data;
  for (std::size_t i = 0; i < 4 * kBlockBytes / 64; ++i) {
    for (const TypeDescriptor* type : {&data, &references}) {
      Object* const object = allocator.allocate(*type);
      if (i % 2 == 0) {
        live.push_back(object);
      } else if (type == &data) {
        holes_of_data.insert(object);
      }
    }
  }
  keep_only(heap, live);
  const std::size_t holes = holes_of_data.size();
  for (std::size_t i = 0; i < 2 * holes; ++i)
    ASSERT_EQ(holes_of_data.count(allocator.allocate(references)), 0U);
  for (std::size_t i = 0; i < holes; ++i) {
    ASSERT_EQ(holes_of_data.erase(allocator.allocate(data)), 1U);
  }
}

// With one chunk and no more, all of it goes from one use to the next: every class, then large objects.
TEST(SweepReuse, FreedBlocksServeAnyUse) {
  Heap heap(kUsableBlocks * kBlockBytes);
  Allocator allocator(heap);
  const TypeDescriptor data = TypeDescriptor::none(0);
  const auto fill = [&](std::size_t bytes) {
    std::size_t count = 0;
    while (Object* const object = allocator.allocate(data, bytes)) {
      if (!is_cleared(object, bytes)) ADD_FAILURE() << "object " << count << " of " << bytes << " bytes";
      fill_contents(object, bytes, ++count);
    }
    return count;
  };
  for (std::uint8_t size_class = 0; size_class < SizeClasses::kCount; ++size_class) {
    const std::size_t bytes = SizeClasses::slot_bytes(size_class);
    EXPECT_EQ(fill(bytes), kUsableBlocks * (kBlockBytes / bytes)) << bytes;
    keep_nothing(heap);
  }
  EXPECT_EQ(fill(kUsableBlocks * kBlockBytes), 1U) << "all blocks are one run again";
  keep_nothing(heap);
  EXPECT_EQ(fill(2 * kBlockBytes), kUsableBlocks / 2);
  keep_nothing(heap);
  EXPECT_EQ(fill(64), kUsableBlocks * (kBlockBytes / 64));
}

// A thread that was stopped in the midst of an allocation goes on where it was.
TEST(SweepOwnedBlocks, AnAllocatorGoesOnInItsBlock) {
  Heap heap;
  auto allocator = std::make_unique<Allocator>(heap);
  std::vector<Object*> objects;
  objects.reserve(10);
  for (int i = 0; i < 10; ++i) objects.push_back(allocator->allocate_plain(48, KindNumber::words));
  heap.clear_marks();
  Chunk& chunk = *Chunk::of(objects[0]);
  chunk.mark_exclusively(objects[3]);
  const SweepResult result = heap.sweep(OwnedBlocks::left);
  EXPECT_EQ(result.live_objects, 1U);
  for (std::size_t i = 0; i < objects.size(); ++i) EXPECT_EQ(chunk.is_allocated(objects[i]), i == 3);
  Object* const next = allocator->allocate_plain(48, KindNumber::words);
  EXPECT_EQ(reinterpret_cast<std::byte*>(next), reinterpret_cast<std::byte*>(objects[9]) + 48);
  for (std::size_t slot = 10; slot < kBlockBytes / 48; ++slot)
    EXPECT_TRUE(chunk.is_allocated(reinterpret_cast<std::byte*>(objects[0]) + slot * 48)) << slot;
}

TEST(SweepOwnedBlocks, NobodyElseGetsThemUntilTheyAreGivenUp) {
  Heap heap(kUsableBlocks * kBlockBytes);
  auto owner = std::make_unique<Allocator>(heap);
  Object* const object = owner->allocate_plain(48, KindNumber::words);
  heap.clear_marks();
  EXPECT_EQ(heap.sweep(OwnedBlocks::left).live_objects, 0U);
  Allocator other(heap);
  const auto block_of = [&](Object* of) {
    return Chunk::of(of)->block_index(reinterpret_cast<std::byte*>(of));
  };
  std::uint64_t others = 0;
  while (Object* const of_other = other.allocate_plain(48, KindNumber::words)) {
    ASSERT_NE(block_of(of_other), block_of(object));
    ++others;
  }
  EXPECT_EQ(others, (kUsableBlocks - 1) * (kBlockBytes / 48));
  owner.reset();
  heap.clear_marks();
  heap.sweep(OwnedBlocks::left);
  others = 0;
  while (other.allocate_plain(48, KindNumber::words) != nullptr) ++others;
  EXPECT_GE(others, (kUsableBlocks - 1) * (kBlockBytes / 48)) << "the block of the allocator that went";
}

TEST(SweepOwnedBlocks, ABlockThatIsUsedUpIsSweptLikeOthers) {
  Heap heap;
  Allocator allocator(heap);
  std::set<Object*> first_block;
  for (std::size_t slot = 0; slot < kBlockBytes / 48; ++slot)
    first_block.insert(allocator.allocate_plain(48, KindNumber::words));
  ASSERT_NE(allocator.allocate_plain(48, KindNumber::words), nullptr);
  heap.clear_marks();
  heap.sweep(OwnedBlocks::left);
  const Object* const object = *first_block.begin();
  Chunk& chunk = *Chunk::of(object);
  EXPECT_EQ(chunk.block(chunk.block_index(reinterpret_cast<const std::byte*>(object))).use, BlockUse::free);
}

// Allocated slots stay allocated, and none is allocated twice.
TEST(SweepOwnedBlocks, SparesComeAndGo) {
  Heap heap(kUsableBlocks * kBlockBytes);
  Allocator allocator(heap);
  constexpr std::size_t kSlots = kBlockBytes / 64;
  std::vector<Object*> objects;
  for (int collection = 0; collection < 8; ++collection) {
    // Each time some blocks more, so that more or fewer spares are there.
    for (std::size_t i = 0; i < (2 * static_cast<std::size_t>(collection) + 1) * kSlots; ++i) {
      Object* const object = allocator.allocate_plain(64, KindNumber::words);
      ASSERT_NE(object, nullptr);
      ASSERT_TRUE(std::ranges::all_of(std::span(reinterpret_cast<const std::byte*>(object), 64),
                                      [](std::byte byte) { return byte == std::byte{0}; }));
      objects.push_back(object);
      fill_contents(object, 64, objects.size());
    }
    heap.clear_marks();
    for (Object* const object : objects) Chunk::of(object)->mark_exclusively(object);
    heap.sweep(OwnedBlocks::left);
  }
  EXPECT_EQ(std::set<Object*>(objects.begin(), objects.end()).size(), objects.size());
  for (std::size_t i = 0; i < objects.size(); ++i) EXPECT_TRUE(has_contents(objects[i], 64, i + 1));
}

TEST(SweepOwnedBlocks, SparesAreTakenBack) {
  for (const OwnedBlocks owned : {OwnedBlocks::left, OwnedBlocks::taken_back}) {
    Heap heap(kUsableBlocks * kBlockBytes);
    Allocator allocator(heap);
    const Chunk* chunk = nullptr;
    for (std::size_t i = 0; i < 4 * kBlockBytes / 64; ++i)
      chunk = Chunk::of(allocator.allocate_plain(64, KindNumber::words));
    EXPECT_LT(chunk->free_blocks(), kUsableBlocks - 4) << "spares";
    heap.clear_marks();
    heap.sweep(owned);
    EXPECT_EQ(chunk->free_blocks(), kUsableBlocks - (owned == OwnedBlocks::left ? 1 : 0));
    EXPECT_NE(allocator.allocate_plain(64, KindNumber::words), nullptr);
  }
}

TEST(SweepOwnedBlocks, SparesAreFreeWhenTheirAllocatorIsGone) {
  Heap heap(kUsableBlocks * kBlockBytes);
  const Chunk* chunk = nullptr;
  {
    Allocator allocator(heap);
    for (std::size_t i = 0; i < 4 * kBlockBytes / 64; ++i)
      chunk = Chunk::of(allocator.allocate_plain(64, KindNumber::words));
  }
  heap.clear_marks();
  heap.sweep();
  EXPECT_EQ(chunk->free_blocks(), kUsableBlocks);
}

TEST(SweepOwnedBlocks, SparesAreHalfOfWhatIsExpected) {
  for (const OwnedBlocks owned : {OwnedBlocks::left, OwnedBlocks::taken_back}) {
    Heap heap;
    Allocator allocator(heap);
    const auto blocks_handed_out_after = [&](std::size_t blocks) {
      for (std::size_t i = 0; i < blocks * kBlockBytes / 64; ++i)
        allocator.allocate_plain(64, KindNumber::data);
      heap.clear_marks();
      heap.sweep(owned);
      // The block that was left, if any, is used up first.
      while (heap.allocated_bytes() == 0) allocator.allocate_plain(64, KindNumber::data);
      return heap.allocated_bytes() / kBlockBytes;
    };
    EXPECT_EQ(blocks_handed_out_after(100), 50U);
    EXPECT_EQ(blocks_handed_out_after(12), 6U);
    EXPECT_EQ(blocks_handed_out_after(1), 1U);
    EXPECT_EQ(blocks_handed_out_after(900), 64U) << "at most";
  }
}

// Spares that are left when a collection comes make it come too early.
TEST(SweepOwnedBlocks, FewSparesAreLeftWhereAsManyBlocksAreTakenAsBefore) {
  Heap heap;
  Allocator allocator(heap);
  constexpr std::size_t kBlocks = 17;
  std::uint64_t handed_out = 0;
  for (int collection = 0; collection < 3; ++collection) {
    for (std::size_t i = 0; i < kBlocks * kBlockBytes / 64; ++i)
      allocator.allocate_plain(64, KindNumber::data);
    handed_out = heap.allocated_bytes();
    heap.clear_marks();
    heap.sweep(OwnedBlocks::left);
  }
  EXPECT_LE(handed_out, (kBlocks + 1) * kBlockBytes);
}

// Their blocks were full of objects before.
TEST(SweepOwnedBlocks, SparesHoldNoObjects) {
  Heap heap;
  Allocator allocator(heap);
  for (std::size_t i = 0; i < 64 * kBlockBytes / 64; ++i) allocator.allocate_plain(64, KindNumber::words);
  heap.clear_marks();
  heap.sweep(OwnedBlocks::taken_back);
  const Object* const object = allocator.allocate_plain(64, KindNumber::words);
  Chunk& chunk = *Chunk::of(object);
  EXPECT_LT(chunk.free_blocks(), kUsableBlocks - 1) << "there are spares";
  std::set<std::size_t> blocks;
  heap.for_each_object_of(
      [](KindNumber) { return true; },
      [&](Object* each) { blocks.insert(chunk.block_index(reinterpret_cast<const std::byte*>(each))); });
  EXPECT_EQ(blocks, std::set{chunk.block_index(reinterpret_cast<const std::byte*>(object))});
}

// Searches for objects pass spares, so their marks need not be set under the heap's lock.
TEST(SweepOwnedBlocks, SparesAreNotInTheMap) {
  Heap heap;
  Allocator allocator(heap);
  const Object* object = nullptr;
  std::set<std::size_t> used;
  for (std::size_t i = 0; i < 20 * kBlockBytes / 64; ++i) {
    object = allocator.allocate_plain(64, KindNumber::words);
    used.insert(Chunk::of(object)->block_index(reinterpret_cast<const std::byte*>(object)));
  }
  Chunk& chunk = *Chunk::of(object);
  EXPECT_LT(chunk.free_blocks(), kUsableBlocks - used.size()) << "there are spares";
  for (std::size_t block = kFirstBlock; block < kBlocksPerChunk; ++block) {
    const auto address = reinterpret_cast<std::uintptr_t>(chunk.block_start(block));
    EXPECT_EQ(heap.map().shape_at(address).holds_objects(), used.contains(block)) << block;
    EXPECT_EQ(chunk.is_marked(chunk.block_start(block)), used.contains(block)) << block;
  }
}

// The search for a spare would sweep further chunks, with the heap's lock held.
TEST(SweepOwnedBlocks, SparesAreNotTakenDuringASweep) {
  constexpr std::size_t kFullChunks = 12;
  constexpr std::size_t kChunksAtOnce = 5;  // the list's, and those searched for a block with memory
  Heap heap;
  Allocator allocator(heap);
  constexpr std::size_t kLargeBytes = (kUsableBlocks / 4 - 1) * kBlockBytes;
  for (std::size_t i = 0; i < 4 * kFullChunks; ++i)
    ASSERT_NE(heap.allocate_large(kLargeBytes, KindNumber::data), nullptr);
  for (std::size_t i = 0; i < 512 * kBlockBytes / 1024; ++i) allocator.allocate_plain(1024, KindNumber::data);
  heap.start_sweep(OwnedBlocks::left);  // all is marked
  std::uint64_t before = heap.swept().live_bytes;
  for (std::size_t i = 0; i < 256 * kBlockBytes / 1024; ++i) {
    allocator.allocate_plain(1024, KindNumber::data);
    const std::uint64_t after = heap.swept().live_bytes;
    EXPECT_LE(after - before, kChunksAtOnce * kChunkBytes);
    before = after;
  }
  heap.finish_sweep();
}

// Allocators that have spares leave none of a small heap's memory unused.
TEST(SweepOwnedBlocks, SparesDoNotUseUpASmallHeap) {
  Heap heap(kUsableBlocks * kBlockBytes);
  Allocator one(heap);
  Allocator other(heap);
  std::size_t objects = 0;
  for (int i = 0; i < 100000 && one.allocate_plain(1024, KindNumber::words) != nullptr; ++i) ++objects;
  while (other.allocate_plain(1024, KindNumber::words) != nullptr) ++objects;
  EXPECT_EQ(objects, kUsableBlocks * (kBlockBytes / 1024));
}

TEST(SweepReuse, NeighbouringFreedRunsBecomeOne) {
  Heap heap(kUsableBlocks * kBlockBytes);
  Allocator allocator(heap);
  const TypeDescriptor data = TypeDescriptor::none(0);
  std::vector<Object*> objects;
  while (Object* const object = allocator.allocate(data, 2 * kBlockBytes)) objects.push_back(object);
  ASSERT_EQ(objects.size(), kUsableBlocks / 2);
  if (kUsableBlocks % 2 == 1) objects.push_back(allocator.allocate(data, kBlockBytes));
  // Objects 10, 11 and 12 die, which leaves six blocks in a row.
  std::vector<Object*> live = objects;
  live.erase(live.begin() + 10, live.begin() + 13);
  for (std::size_t i = 0; i < live.size(); ++i) fill_contents(live[i], kBlockBytes, i);
  keep_only(heap, live);
  EXPECT_EQ(allocator.allocate(data, 7 * kBlockBytes), nullptr);
  Object* const filling = allocator.allocate(data, 6 * kBlockBytes);
  EXPECT_EQ(filling, objects[10]);
  EXPECT_EQ(allocator.allocate(data, 48), nullptr) << "the chunk is full";
  fill_contents(filling, 6 * kBlockBytes, 999);
  for (std::size_t i = 0; i < live.size(); ++i) EXPECT_TRUE(has_contents(live[i], kBlockBytes, i));
}

TEST_F(SweepTest, LargeObjectsDieAndLiveAsAWhole) {
  std::vector<Object*> objects;
  std::vector<std::size_t> sizes;
  for (const std::size_t blocks :
       {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{100}, kUsableBlocks}) {
    for (int i = 0; i < 4; ++i) {
      sizes.push_back(blocks * kBlockBytes - 8);
      objects.push_back(allocate(sizes.back()));
      fill_contents(objects.back(), sizes.back(), objects.size());
    }
  }
  std::vector<Object*> live;
  std::uint64_t live_bytes = 0;
  for (std::size_t i = 0; i < objects.size(); i += 2) {
    live.push_back(objects[i]);
    live_bytes += sizes[i] + 8;
  }
  const SweepResult result = keep_only(heap_, live);
  EXPECT_EQ(result.live_objects, live.size());
  EXPECT_EQ(result.live_bytes, live_bytes);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    EXPECT_EQ(heap_.object_at(objects[i]), i % 2 == 0 ? objects[i] : nullptr);
  }
  for (std::size_t i = 0; i < 100; ++i) fill_contents(allocate(3 * kBlockBytes), 3 * kBlockBytes, 0);
  for (std::size_t i = 0; i < objects.size(); i += 2) EXPECT_TRUE(has_contents(objects[i], sizes[i], i + 1));
}

TEST_F(SweepTest, OversizedObjectsAreGivenBackWhenTheyDie) {
  constexpr std::size_t kBytes = 5 * kChunkBytes;
  Object* const dying = allocate(kBytes);
  Object* const living = allocate(kBytes);
  fill_contents(living, kBytes, 5);
  ASSERT_NE(dying, nullptr);
  const std::uint64_t before = heap_.chunk_bytes();
  const SweepResult first = keep_only(heap_, std::vector<Object*>{living});
  EXPECT_EQ(first.live_objects, 1U);
  EXPECT_EQ(first.live_bytes, kBytes);
  EXPECT_EQ(first.released_bytes, before / 2);
  EXPECT_EQ(heap_.chunk_bytes(), before / 2);
  EXPECT_TRUE(has_contents(living, kBytes, 5));
  const SweepResult second = keep_nothing(heap_);
  EXPECT_EQ(second.released_bytes, before / 2);
  EXPECT_EQ(heap_.chunk_bytes(), 0U);
}

TEST_F(SweepTest, EmptyChunksGoWhenAskedButThoseThatAreToBeKept) {
  constexpr std::size_t kChunks = 6;
  for (std::size_t i = 0; i < kChunks; ++i) allocate(kUsableBlocks * kBlockBytes);
  EXPECT_EQ(keep_nothing(heap_).released_bytes, 0U);
  EXPECT_EQ(heap_.chunk_bytes(), kChunks * kChunkBytes);
  EXPECT_EQ(heap_.release_empty_chunks(2 * kUsableBlocks * kBlockBytes), (kChunks - 2) * kChunkBytes);
  EXPECT_EQ(heap_.header_bytes(), 2 * kFirstBlock * kBlockBytes);
  EXPECT_EQ(heap_.release_free_memory(), 2 * kChunkBytes);
  EXPECT_EQ(heap_.chunk_bytes(), 0U);
}

// A block of 8 slots in all states but the empty and the full one.
TEST_F(SweepTest, PagesWithoutObjectsGoBackAndNoOthers) {
  constexpr std::size_t kBytes = 2048;
  constexpr unsigned kSlots = kBlockBytes / kBytes;
  const std::size_t page_bytes = base::page_bytes();
  const std::size_t slots_of_page = page_bytes / kBytes;
  for (unsigned pattern = 1; pattern + 1 < (1U << kSlots); ++pattern) {
    const std::vector<Object*> objects = allocate_many(kSlots, kBytes);
    std::vector<Object*> live;
    std::set<std::size_t> pages_in_use;
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      fill_contents(objects[slot], kBytes, slot);
      if ((pattern >> slot & 1) == 0) continue;
      live.push_back(objects[slot]);
      pages_in_use.insert(slot / slots_of_page);
    }
    keep_only(heap_, live);
    const std::size_t expected =
        page_bytes < kBlockBytes ? kBlockBytes - pages_in_use.size() * page_bytes : 0;
    EXPECT_EQ(heap_.release_free_pages(), expected) << pattern;
    for (unsigned slot = 0; slot < kSlots; ++slot) {
      const bool is_live = (pattern >> slot & 1) != 0;
      EXPECT_TRUE(!is_live || has_contents(objects[slot], kBytes, slot)) << pattern;
    }
    for (std::size_t slot = live.size(); slot < kSlots; ++slot)
      ASSERT_TRUE(is_cleared(allocate(kBytes), kBytes));
    keep_nothing(heap_);
  }
}

TEST_F(SweepTest, AnObjectKeepsAllPagesThatItLiesOn) {
  for (const std::size_t bytes : std::array<std::size_t, 5>{48, 1040, 2720, 5456, 8192}) {
    const std::vector<Object*> objects = allocate_many(1000, bytes);
    std::vector<Object*> live;
    for (std::size_t i = 0; i < objects.size(); i += 7) live.push_back(objects[i]);
    for (std::size_t i = 0; i < live.size(); ++i) fill_contents(live[i], bytes, i);
    keep_only(heap_, live);
    const std::uint64_t released = heap_.release_free_pages();
    EXPECT_EQ(released % base::page_bytes(), 0U);
    const bool has_none = bytes == 48 || base::page_bytes() >= kBlockBytes;
    EXPECT_EQ(released == 0, has_none) << "an object of seven is on each page";
    for (std::size_t i = 0; i < live.size(); ++i) EXPECT_TRUE(has_contents(live[i], bytes, i)) << bytes;
    keep_nothing(heap_);
  }
}

TEST_F(SweepTest, PagesGoBackOnceUntilTheirBlockIsTakenAgain) {
  if (base::page_bytes() >= kBlockBytes) GTEST_SKIP() << "a block has no whole page";
  const std::vector<Object*> objects = allocate_many(kBlockBytes / 1024, 1024);
  const std::vector<Object*> live{objects.front()};
  const std::size_t expected = kBlockBytes - base::page_bytes();
  for (int round = 0; round < 2; ++round) {
    keep_only(heap_, live);
    EXPECT_EQ(heap_.release_free_pages(), expected);
    keep_only(heap_, live);
    EXPECT_EQ(heap_.release_free_pages(), 0U) << "the system has them";
    allocate(1024);
    EXPECT_EQ(heap_.release_free_pages(), 0U) << "an allocator owns the block";
  }
}

TEST_F(SweepTest, PagesBehindALargeObjectGoBackOnceUntilItsLengthChanges) {
  const std::size_t page_bytes = base::page_bytes();
  if (page_bytes >= kBlockBytes) GTEST_SKIP() << "a block has no whole page";
  const std::size_t bytes = kBlockBytes + 100;
  Object* const object = allocate(bytes);
  fill_contents(object, bytes, 1);
  const std::size_t expected = kBlockBytes - page_bytes;
  EXPECT_EQ(heap_.release_free_pages(), expected);
  EXPECT_EQ(heap_.release_free_pages(), 0U);
  EXPECT_TRUE(has_contents(object, bytes, 1));
  EXPECT_TRUE(heap_.resize_large(object, 2 * kBlockBytes - page_bytes));
  EXPECT_EQ(heap_.release_free_pages(), page_bytes);
  ASSERT_NE(allocate(2 * kChunkBytes + 1), nullptr);
  EXPECT_EQ(heap_.release_free_pages(), 0U) << "an oversized object wrote none";
}

TEST_F(SweepTest, ChunksWithOneObjectStay) {
  std::vector<Object*> live;
  for (std::size_t i = 0; i < 8; ++i) {
    allocate((kUsableBlocks - 1) * kBlockBytes);
    live.push_back(allocate(kBlockBytes));
    fill_contents(live.back(), kBlockBytes, i);
  }
  const SweepResult result = keep_only(heap_, live);
  EXPECT_EQ(result.released_bytes, 0U);
  for (std::size_t i = 0; i < live.size(); ++i) EXPECT_TRUE(has_contents(live[i], kBlockBytes, i));
}

TEST_F(SweepTest, FiguresCountSlotsAndBlocks) {
  const std::vector<Object*> objects = {allocate(8),    allocate(16),   allocate(130),
                                        allocate(8192), allocate(8200), allocate(20'000)};
  const SweepResult result = keep_only(heap_, objects);
  EXPECT_EQ(result.live_objects, 6U);
  EXPECT_EQ(result.live_bytes, 16 + 16 + 160 + 8192 + kBlockBytes + 2 * kBlockBytes);
  EXPECT_EQ(result.released_bytes, 0U);
  EXPECT_EQ(keep_nothing(heap_).live_objects, 0U);
}

TEST_F(SweepTest, TheWalkMeetsEveryMarkedObjectOnceInAddressOrder) {
  mark::RandomNumbers random(11);
  std::vector<Object*> live;
  for (std::size_t i = 0; i < mark::scaled(20'000); ++i) {
    const std::size_t bytes = i % 7000 == 0  ? 2 * kChunkBytes
                              : i % 100 == 0 ? 50'000
                                             : 8 + random.below(9000);
    Object* const object = allocate(bytes);
    if (random.below(2) == 0) live.push_back(object);
  }
  keep_only(heap_, live);
  std::vector<Object*> walked = marked();
  std::unordered_map<Chunk*, Object*> last;
  for (Object* const object : walked) {
    Object*& before = last[Chunk::of(object)];
    ASSERT_LT(before, object);
    before = object;
  }
  std::sort(live.begin(), live.end());
  std::sort(walked.begin(), walked.end());
  EXPECT_EQ(walked, live);
  heap_.clear_marks();
  EXPECT_TRUE(marked().empty());
}

// Generations of objects of all sizes, of which some die each time: the whole of the heap, checked by content
// against a plain list of what must be there.
// Chunks of one kind, of another, and of several, as they come and go.
TEST(SweepKinds, WalksMeetTheObjectsOfAKindInAllChunks) {
  Heap heap;
  const KindNumber kept = heap.add_kind({.is_collectable = false}).value();
  const std::vector<KindNumber> kinds{KindNumber::data, KindNumber::words, kept};
  mark::RandomNumbers random(31);
  std::map<KindNumber, std::set<Object*>> objects;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 6; ++i) {
      const KindNumber kind = kinds[random.below(3)];
      // Two to a chunk, many, or one alone.
      const std::size_t blocks = std::vector<std::size_t>{450, 30, kBlocksPerChunk + 5}[random.below(3)];
      objects[kind].insert(heap.allocate_large(blocks * kBlockBytes, kind));
    }
    heap.clear_marks();
    std::map<KindNumber, std::set<Object*>> unmarked;
    for (const KindNumber kind : kinds) {
      for (Object* const object : objects[kind]) {
        if (kind == kept || random.below(3) != 0) {
          Chunk::of(object)->mark_exclusively(object);
        } else {
          unmarked[kind].insert(object);
        }
      }
    }
    for (const KindNumber kind : kinds) {
      std::set<Object*> found;
      heap.for_each_object_of([=](KindNumber other) { return other == kind; },
                              [&](Object* object) { EXPECT_TRUE(found.insert(object).second); });
      EXPECT_EQ(found, objects[kind]);
      found.clear();
      heap.for_each_unmarked(kind, [&](Object* object) { EXPECT_TRUE(found.insert(object).second); });
      EXPECT_EQ(found, unmarked[kind]);
    }
    std::set<Object*> uncollectable;
    heap.for_each_uncollectable([&](Object* object) { uncollectable.insert(object); });
    EXPECT_EQ(uncollectable, objects[kept]);
    uncollectable.clear();
    Heap::Place place;
    while (heap.for_each_uncollectable_from(
        place, 1, [&](Object* object) { EXPECT_TRUE(uncollectable.insert(object).second); }))
      continue;
    EXPECT_EQ(uncollectable, objects[kept]);
    heap.sweep();
    for (const KindNumber kind : kinds) {
      for (Object* const object : unmarked[kind]) objects[kind].erase(object);
    }
    if (round % 4 == 3) {
      for (Object* const object : objects[kept]) heap.free_large(object);
      objects[kept].clear();
    }
  }
}

// A block has a thousand slots of this size, of which each would be a root.
TEST(SweepUncollectable, SlotsThatAllocatorsHoldAreNoRoots) {
  Heap heap;
  const KindNumber kept = heap.add_kind({.contents = Contents::words, .is_collectable = false}).value();
  Allocator allocator(heap);
  std::set<Object*> objects;
  for (std::size_t collection = 1; collection < 4; ++collection) {
    EXPECT_TRUE(objects.insert(allocator.allocate_plain(16, kept)).second);
    heap.clear_marks();
    heap.withdraw_uncollectable_slots();
    std::set<Object*> roots;
    heap.for_each_uncollectable([&](Object* object) { roots.insert(object); });
    EXPECT_EQ(roots, objects);
    for (Object* const object : roots) Chunk::of(object)->mark_exclusively(object);
    EXPECT_EQ(heap.sweep(OwnedBlocks::left).live_objects, collection);
  }
}

class FreedUncollectable : public testing::Test {
 protected:
  static constexpr std::size_t kBytes = 32;
  static constexpr std::size_t kOfABlock = kBlockBytes / kBytes;

  // Objects that fill two blocks: an object that is freed is not right before the run at hand.
  static std::vector<Object*> two_blocks(Allocator& allocator, KindNumber kind) {
    std::vector<Object*> objects;
    for (std::size_t i = 0; i < 2 * kOfABlock; ++i) objects.push_back(allocator.allocate_plain(kBytes, kind));
    return objects;
  }
  std::size_t count_allocated() {
    std::size_t count = 0;
    heap_.for_each_uncollectable([&](Object* /*object*/) { ++count; });
    return count;
  }
  SweepResult collect() {
    heap_.clear_marks();
    heap_.withdraw_uncollectable_slots();
    heap_.for_each_uncollectable([](Object* object) { Chunk::of(object)->mark_exclusively(object); });
    return heap_.sweep(OwnedBlocks::left);
  }

  Heap heap_;
  const KindNumber kept_ = heap_.add_kind({.contents = Contents::words, .is_collectable = false}).value();
  Allocator allocator_{heap_};
};

TEST_F(FreedUncollectable, AreTakenAgainAtOnce) {
  const std::vector<Object*> objects = two_blocks(allocator_, kept_);
  fill_contents(objects[3], kBytes, 1);
  fill_contents(objects[9], kBytes, 2);
  allocator_.free(objects[3]);
  allocator_.free(objects[9]);
  EXPECT_EQ(allocator_.allocate_plain(kBytes, kept_), objects[9]);
  EXPECT_EQ(allocator_.allocate_plain(kBytes, kept_), objects[3]);
  EXPECT_TRUE(is_cleared(objects[3], kBytes));
  EXPECT_TRUE(is_cleared(objects[9], kBytes));
}

TEST_F(FreedUncollectable, AreNoRoots) {
  const std::vector<Object*> objects = two_blocks(allocator_, kept_);
  std::vector<Object*> others;
  {
    Allocator gone(heap_);
    others = two_blocks(gone, kept_);
    for (std::size_t i = 0; i < 9; ++i) gone.free(others[2 * i]);
  }
  for (std::size_t i = 0; i < 5; ++i) allocator_.free(objects[2 * i]);
  EXPECT_EQ(collect().live_objects, objects.size() + others.size() - 9 - 5);
  EXPECT_EQ(collect().live_objects, objects.size() + others.size() - 9 - 5);
}

// A pause withdraws those that wait.
TEST_F(FreedUncollectable, AreNotKeptWhereManyWait) {
  const std::vector<Object*> objects = two_blocks(allocator_, kept_);
  for (std::size_t i = 0; i < objects.size(); i += 2) allocator_.free(objects[i]);
  const std::size_t waiting = count_allocated() - objects.size() / 2;
  EXPECT_GT(waiting, 0U);
  EXPECT_LT(waiting, objects.size() / 2);
  std::set<Object*> again;
  for (std::size_t i = 0; i < waiting; ++i)
    EXPECT_TRUE(again.insert(allocator_.allocate_plain(kBytes, kept_)).second);
  for (Object* const object : again)
    EXPECT_NE(std::find(objects.begin(), objects.end(), object), objects.end());
}

// After a sweep as many may wait as before.
TEST_F(FreedUncollectable, AreKeptAgainAfterASweep) {
  std::set<std::size_t> waiting;
  for (int round = 0; round < 3; ++round) {
    const std::vector<Object*> objects = two_blocks(allocator_, kept_);
    for (std::size_t i = 0; i < objects.size(); i += 2) allocator_.free(objects[i]);
    const std::size_t allocated = count_allocated();
    waiting.insert(allocated - collect().live_objects);
    heap_.for_each_uncollectable([this](Object* object) { allocator_.free(object); });
    EXPECT_EQ(collect().live_objects, 0U);
  }
  EXPECT_EQ(waiting.size(), 1U);
  EXPECT_FALSE(waiting.contains(0));
}

// More are taken than may wait at once.
TEST_F(FreedUncollectable, AreTakenAsOftenAsTheyAreFreed) {
  const std::vector<Object*> objects = two_blocks(allocator_, kept_);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    Object* const object = objects[i % 2 == 0 ? 4 : 12];
    allocator_.free(object);
    ASSERT_EQ(allocator_.allocate_plain(kBytes, kept_), object);
  }
}

TEST_F(FreedUncollectable, HoldNoBlockOfAThreadThatOnlyFrees) {
  const std::vector<Object*> objects = two_blocks(allocator_, kept_);
  Allocator other(heap_);
  for (std::size_t i = 0; i < 9; ++i) other.free(objects[2 * i]);
  EXPECT_EQ(count_allocated(), objects.size() - 9);
}

// A procedure of the program would visit them as roots while the program runs.
TEST_F(FreedUncollectable, AreNotKeptWhereAKindSaysHowTheyAreVisited) {
  const KindNumber by_kind = heap_.add_kind({.contents = Contents::by_kind, .is_collectable = false}).value();
  const std::vector<Object*> objects = two_blocks(allocator_, by_kind);
  for (std::size_t i = 0; i < 9; ++i) allocator_.free(objects[2 * i]);
  EXPECT_EQ(count_allocated(), objects.size() - 9);
}

// The words of a withdrawn slot are no links any more: the collector may clear them as a weak link.
TEST_F(FreedUncollectable, AreWithdrawnOnce) {
  const std::vector<Object*> objects = two_blocks(allocator_, kept_);
  for (std::size_t i = 0; i < 5; ++i) allocator_.free(objects[2 * i]);
  heap_.clear_marks();
  heap_.withdraw_uncollectable_slots();
  for (std::size_t i = 0; i < 5; ++i) *reinterpret_cast<std::uintptr_t*>(objects[2 * i]) = 0;
  heap_.withdraw_free_slots();
  heap_.for_each_uncollectable([](Object* object) { Chunk::of(object)->mark_exclusively(object); });
  EXPECT_EQ(heap_.sweep(OwnedBlocks::left).live_objects, objects.size() - 5);
}

// The lists end at the sweep, which would keep a slot that was marked as a root.
TEST_F(FreedUncollectable, AreFreeAfterThePauseInWhichTheyWereFreed) {
  const std::vector<Object*> objects = two_blocks(allocator_, kept_);
  heap_.clear_marks();
  heap_.withdraw_uncollectable_slots();
  heap_.for_each_uncollectable([](Object* object) { Chunk::of(object)->mark_exclusively(object); });
  allocator_.free(objects[3]);
  EXPECT_EQ(heap_.sweep(OwnedBlocks::left).live_objects, objects.size() - 1);
}

// Callbacks in a pause may free: what was freed then must not be met as a dead object.
TEST(SweepFreed, SlotsHoldNoObjectsAfterTheWithdrawal) {
  Heap heap;
  Allocator allocator(heap);
  std::vector<Object*> objects;
  for (int i = 0; i < 100; ++i) objects.push_back(allocator.allocate_plain(32, KindNumber::words));
  allocator.free(objects[3]);
  heap.clear_marks();
  heap.withdraw_free_slots();
  allocator.free(objects[5]);
  allocator.free(objects.back());  // right before the run at hand
  std::size_t met = 0;
  heap.for_each_unmarked(KindNumber::words, [&](Object* /*object*/) { ++met; });
  EXPECT_EQ(met, objects.size() - 3);
  EXPECT_EQ(heap.sweep(OwnedBlocks::left).live_objects, 0U);
}

TEST_F(SweepTest, ManyGenerationsOfMixedSizes) {
  struct Live {
    Object* object;
    std::size_t bytes;
    std::uint64_t key;
  };
  mark::RandomNumbers random(5);
  std::vector<Live> live;
  std::uint64_t key = 0;
  std::uint64_t most_chunk_bytes = 0;
  for (int generation = 0; generation < 40; ++generation) {
    for (std::size_t i = 0; i < mark::scaled(3000); ++i) {
      const std::size_t bytes =
          i % 300 == 0 ? 1 + random.below(5 << 20) : 8 + random.below(i % 20 == 0 ? 60'000 : 600);
      Object* const object = allocate(bytes);
      ASSERT_TRUE(is_cleared(object, bytes));
      fill_contents(object, bytes, ++key);
      live.push_back({object, bytes, key});
    }
    std::erase_if(live, [&](const Live&) { return random.below(2) == 0; });
    std::vector<Object*> kept;
    kept.reserve(live.size());
    for (const Live& each : live) kept.push_back(each.object);
    EXPECT_EQ(keep_only(heap_, kept).live_objects, live.size());
    for (const Live& each : live) ASSERT_TRUE(has_contents(each.object, each.bytes, each.key));
    most_chunk_bytes = std::max(most_chunk_bytes, heap_.chunk_bytes());
  }
  // Some 25 MB live in the middle of a generation and as much again at its end; without reuse it were 1 GB.
  EXPECT_LT(most_chunk_bytes, std::uint64_t{400} << 20);
}

// Nothing is freed meanwhile that would have the chunk searched again.
TEST_F(SweepTest, LargeObjectsComeBackToWhereNothingRefersToAnyMore) {
  const auto allocate_large = [&] { return heap_.allocate_large(2 * kBlockBytes, KindNumber::data); };
  std::vector<Object*> live{allocate_large()};
  Chunk* const chunk = Chunk::of(live[0]);
  for (std::size_t block = kFirstBlock; block < kBlocksPerChunk; ++block)
    heap_.map().blacklist(reinterpret_cast<std::uintptr_t>(chunk->block_start(block)));
  live.push_back(allocate_large());
  EXPECT_NE(Chunk::of(live[1]), chunk);
  keep_only(heap_, live);
  keep_only(heap_, live);
  EXPECT_EQ(Chunk::of(allocate_large()), chunk);
}

}  // namespace
}  // namespace jackdaw::heap
