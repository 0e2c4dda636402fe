// Allocator: objects of every size are aligned, cleared, apart from each other and the thread's own.
#include "heap/allocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "heap/first_objects.h"
#include "heap/heap.h"
#include "mark/random_numbers.h"
#include "tests/heap/contents.h"
#include "tests/heap/marks.h"
#include "tests/scaled.h"

namespace jackdaw::heap {
namespace {

// A header alone, both sides of every class's limit, of a block, of all a chunk's blocks, and several chunks.
std::vector<std::size_t> interesting_sizes() {
  std::vector<std::size_t> sizes = {8, 24, 100, 1000};
  const auto add_around = [&](std::size_t bytes) {
    sizes.insert(sizes.end(), {bytes - 8, bytes, bytes + 8});
  };
  for (std::uint8_t i = 0; i < SizeClasses::kCount; ++i) add_around(SizeClasses::slot_bytes(i));
  for (const std::size_t blocks :
       {std::size_t{1}, std::size_t{2}, std::size_t{63}, kUsableBlocks - 1, kUsableBlocks}) {
    add_around(blocks * kBlockBytes);
  }
  sizes.insert(sizes.end(), {kChunkBytes, 2 * kChunkBytes + 8});
  return sizes;
}

struct Allocated {
  Object* object;
  std::size_t bytes;
};

std::vector<Object*> every_other(const std::vector<Object*>& objects) {
  std::vector<Object*> result;
  for (std::size_t i = 1; i < objects.size(); i += 2) result.push_back(objects[i]);
  return result;
}

void expect_apart(std::vector<Allocated> objects) {
  std::sort(objects.begin(), objects.end(),
            [](const Allocated& a, const Allocated& b) { return a.object < b.object; });
  for (std::size_t i = 1; i < objects.size(); ++i) {
    ASSERT_LE(reinterpret_cast<std::byte*>(objects[i - 1].object) + objects[i - 1].bytes,
              reinterpret_cast<std::byte*>(objects[i].object));
  }
}

class AllocatorTest : public testing::Test {
 protected:
  // Objects of 64 bytes that fill a block.
  std::vector<Object*> whole_block() {
    std::vector<Object*> objects;
    for (std::size_t i = 0; i < kBlockBytes / 64; ++i)
      objects.push_back(allocator_.allocate_plain(64, KindNumber::words));
    return objects;
  }
  // Allocates `count` objects of 64 bytes, and another allocator as many in turn.
  std::vector<Allocated> allocate_beside_another(std::size_t count) {
    Allocator other(heap_);
    std::vector<Allocated> all;
    for (std::size_t i = 0; i < count; ++i) {
      all.push_back({allocator_.allocate_plain(64, KindNumber::words), 64});
      all.push_back({other.allocate_plain(64, KindNumber::words), 64});
    }
    return all;
  }

  Heap heap_;
  Allocator allocator_{heap_};
  const TypeDescriptor data_ = TypeDescriptor::none(0);
};

// A marker asks the block alone.
TEST_F(AllocatorTest, ABlockSaysWhetherItsObjectsHoldReferences) {
  const TypeDescriptor array = TypeDescriptor::reference_array();
  for (const std::size_t bytes : interesting_sizes()) {
    const TypeDescriptor word = TypeDescriptor::offsets(0, {1});
    for (int i = 0; i < 3; ++i) {
      Object* const with = allocator_.allocate(word, bytes);
      Object* const without = allocator_.allocate(data_, bytes);
      ASSERT_EQ(Chunk::of(with)->contents_of(with), Contents::references) << bytes;
      ASSERT_EQ(Chunk::of(without)->contents_of(without), Contents::data) << bytes;
    }
    Object* const elements = allocator_.allocate_array(array, bytes / kWordBytes);
    ASSERT_EQ(Chunk::of(elements)->contents_of(elements), Contents::references) << bytes;
  }
}

TEST_F(AllocatorTest, EverySizeIsAlignedClearedTypedAndApart) {
  std::vector<Allocated> objects;
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (const std::size_t bytes : interesting_sizes()) {
      Object* const object = allocator_.allocate(data_, bytes);
      ASSERT_NE(object, nullptr) << bytes;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(object) % kGranuleBytes, 0U) << bytes;
      EXPECT_EQ(object->type(), &data_);
      EXPECT_TRUE(is_cleared(object, bytes)) << bytes;
      fill_contents(object, bytes, objects.size());
      objects.push_back({object, bytes});
    }
  }
  expect_apart(objects);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    EXPECT_TRUE(has_contents(objects[i].object, objects[i].bytes, i)) << objects[i].bytes << " bytes";
    EXPECT_EQ(objects[i].object->type(), &data_);
  }
}

TEST_F(AllocatorTest, EverySmallSizeFillsBlocksWithoutOverlap) {
  std::vector<Allocated> objects;
  for (std::size_t bytes = 8; bytes <= kLargestSmallBytes; bytes += 8) {
    objects.push_back({allocator_.allocate(data_, bytes), bytes});
    ASSERT_NE(objects.back().object, nullptr);
    fill_contents(objects.back().object, bytes, objects.size());
  }
  expect_apart(objects);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    ASSERT_TRUE(has_contents(objects[i].object, objects[i].bytes, i + 1)) << objects[i].bytes << " bytes";
  }
}

TEST_F(AllocatorTest, ReusedMemoryIsClearedAgain) {
  for (const std::size_t bytes : interesting_sizes()) {
    const std::size_t count = bytes <= kLargestSmallBytes ? 3 * kBlockBytes / bytes : 1;
    for (int generation = 0; generation < 3; ++generation) {
      for (std::size_t i = 0; i < count; ++i) {
        Object* const object = allocator_.allocate(data_, bytes);
        ASSERT_NE(object, nullptr);
        ASSERT_TRUE(is_cleared(object, bytes)) << bytes << " bytes, generation " << generation;
        fill_contents(object, bytes, i);
      }
      keep_nothing(heap_);
    }
  }
}

TEST_F(AllocatorTest, TakesWhatIsLeftOfItsBlockAndNoOther) {
  constexpr std::size_t kBytes = 64;
  constexpr std::size_t kSlots = kBlockBytes / kBytes;
  EXPECT_EQ(allocator_.allocate_from_block(kBytes, KindNumber::words), nullptr);
  std::vector<Object*> objects;
  for (std::size_t i = 0; i < kSlots; ++i)
    objects.push_back(allocator_.allocate_plain(kBytes, KindNumber::words));
  EXPECT_EQ(allocator_.allocate_from_block(kBytes, KindNumber::words), nullptr);
  const std::vector<Object*> odd_ones = every_other(objects);
  keep_only(heap_, odd_ones);
  // The first brings a block, that one again, whose free slots are runs of one.
  ASSERT_NE(allocator_.allocate_plain(kBytes, KindNumber::words), nullptr);
  for (std::size_t i = 1; i < kSlots / 2; ++i) {
    Object* const object = allocator_.allocate_from_block(kBytes, KindNumber::words);
    ASSERT_NE(object, nullptr) << i;
    EXPECT_EQ(std::ranges::count(odd_ones, object), 0);
  }
  EXPECT_EQ(allocator_.allocate_from_block(kBytes, KindNumber::words), nullptr);
  allocator_.free(odd_ones.front());
  EXPECT_EQ(allocator_.allocate_from_block(kBytes, KindNumber::words), odd_ones.front());
}

TEST_F(AllocatorTest, TakesEachFreeSlotOfABlockOnceAndClearsIt) {
  mark::RandomNumbers random(1);
  for (std::uint8_t size_class = 0; size_class < SizeClasses::kCount; ++size_class) {
    const std::size_t bytes = SizeClasses::slot_bytes(size_class);
    std::vector<Object*> left;
    std::vector<Object*> free;
    for (std::size_t i = 0; i < kBlockBytes / bytes; ++i) {
      Object* const object = allocator_.allocate_plain(bytes, KindNumber::words);
      fill_contents(object, bytes, i);
      (i == 0 || random.below(3) == 0 ? left : free).push_back(object);
    }
    keep_only(heap_, left);
    for (Object* const expected : free) {
      ASSERT_EQ(allocator_.allocate_plain(bytes, KindNumber::words), expected) << bytes << " bytes";
      ASSERT_TRUE(is_cleared(expected, bytes)) << bytes << " bytes";
    }
    EXPECT_EQ(allocator_.allocate_from_block(bytes, KindNumber::words), nullptr);
  }
}

TEST_F(AllocatorTest, TakesEachFreeSlotOfAnUnclearedKindAsItIs) {
  const KindNumber kind = *heap_.add_kind({.contents = Contents::data, .is_cleared = false});
  mark::RandomNumbers random(1);
  for (std::uint8_t size_class = 0; size_class < SizeClasses::kCount; ++size_class) {
    const std::size_t bytes = SizeClasses::slot_bytes(size_class);
    std::vector<Object*> left;
    std::vector<std::pair<Object*, std::size_t>> free;
    for (std::size_t i = 0; i < kBlockBytes / bytes; ++i) {
      Object* const object = allocator_.allocate_plain(bytes, kind);
      fill_contents(object, bytes, i);
      if (i == 0 || random.below(8) == 0) {
        left.push_back(object);
      } else {
        free.emplace_back(object, i);
      }
    }
    keep_only(heap_, left);
    for (const auto& [expected, number] : free) {
      ASSERT_EQ(allocator_.allocate_plain(bytes, kind), expected) << bytes << " bytes";
      ASSERT_TRUE(has_contents(expected, bytes, number)) << bytes << " bytes";
    }
    EXPECT_EQ(allocator_.allocate_from_block(bytes, kind), nullptr);
  }
}

TEST_F(AllocatorTest, GoesOnWithItsRunAfterItWasLockedOut) {
  constexpr std::size_t kBytes = 64;
  for (const bool is_refused : {false, true}) {
    Object* const freed = allocator_.allocate_plain(kBytes, KindNumber::words);
    const auto* const last =
        reinterpret_cast<std::byte*>(allocator_.allocate_plain(kBytes, KindNumber::words));
    heap_.lock_out_allocators();
    allocator_.free(freed);
    if (is_refused) {
      EXPECT_EQ(allocator_.allocate_from_run(kBytes, KindNumber::words), nullptr);
      EXPECT_EQ(allocator_.allocate_from_block(kBytes, KindNumber::words), nullptr);
      EXPECT_EQ(allocator_.allocate_plain(kBytes, KindNumber::words), nullptr);
      EXPECT_EQ(allocator_.allocate_plain(kBlockBytes, KindNumber::words), nullptr);
    }
    heap_.budget().let_in();
    const auto* const after =
        reinterpret_cast<std::byte*>(allocator_.allocate_plain(kBytes, KindNumber::words));
    EXPECT_EQ(after, last + kBytes);
  }
}

TEST_F(AllocatorTest, ASlotFreedRightBeforeTheRunIsItsFirst) {
  allocator_.allocate_plain(64, KindNumber::words);
  Object* const freed = allocator_.allocate_plain(64, KindNumber::words);
  fill_contents(freed, 64, 1);
  allocator_.free(freed);
  EXPECT_EQ(allocator_.allocate_from_run(64, KindNumber::words), freed);
  EXPECT_TRUE(is_cleared(freed, 64));
}

TEST_F(AllocatorTest, GivesTheRestOfARunAtOnce) {
  EXPECT_TRUE(allocator_.take_run(64, KindNumber::words).empty());
  auto* const first = reinterpret_cast<std::byte*>(allocator_.allocate_plain(64, KindNumber::words));
  const std::span<std::byte> rest = allocator_.take_run(64, KindNumber::words);
  EXPECT_EQ(rest.data(), first + 64);
  EXPECT_EQ(rest.size(), kBlockBytes - 64);
  EXPECT_EQ(allocator_.allocate_from_run(64, KindNumber::words), nullptr);
  EXPECT_TRUE(allocator_.take_run(64, KindNumber::words).empty());
}

TEST_F(AllocatorTest, FreedSlotsOfItsBlockThatAdjoinAreARun) {
  const std::vector<Object*> objects = whole_block();
  // The list begins with the last, and each adjoins those before it, on one side or the other. The first one
  // freed is a run at once, and adjoins none.
  for (const std::size_t i : {20U, 7U, 3U, 6U, 4U, 5U}) allocator_.free(objects[i]);
  EXPECT_EQ(allocator_.allocate_from_run(64, KindNumber::words), objects[20]);
  EXPECT_EQ(allocator_.allocate_from_run(64, KindNumber::words), nullptr);
  EXPECT_EQ(allocator_.allocate_from_block(64, KindNumber::words), objects[3]);
  for (const std::size_t i : {4U, 5U, 6U, 7U}) {
    EXPECT_EQ(allocator_.allocate_from_run(64, KindNumber::words), objects[i]);
    EXPECT_TRUE(is_cleared(objects[i], 64));
  }
  EXPECT_EQ(allocator_.allocate_from_run(64, KindNumber::words), nullptr);
}

TEST_F(AllocatorTest, FreedSlotsOfOtherBlocksAreTakenAlone) {
  const std::vector<Object*> objects = whole_block();
  const std::vector<Object*> others = whole_block();
  for (const std::size_t i : {3U, 4U}) allocator_.free(objects[i]);
  for (const std::size_t i : {4U, 3U}) {
    EXPECT_EQ(allocator_.allocate_from_block(64, KindNumber::words), objects[i]);
    EXPECT_EQ(allocator_.allocate_from_run(64, KindNumber::words), nullptr);
  }
}

TEST_F(AllocatorTest, ARunOfFreedSlotsStaysItsOwnBeyondASweep) {
  const std::vector<Object*> objects = whole_block();
  for (const std::size_t i : {20U, 3U, 4U, 5U}) allocator_.free(objects[i]);
  EXPECT_EQ(allocator_.allocate_from_run(64, KindNumber::words), objects[20]);
  EXPECT_EQ(allocator_.allocate_from_block(64, KindNumber::words), objects[3]);
  heap_.clear_marks();
  heap_.sweep(OwnedBlocks::left);
  const std::vector<Allocated> all = allocate_beside_another(3 * objects.size());
  EXPECT_EQ(all[0].object, objects[4]);
  EXPECT_EQ(all[2].object, objects[5]);
  expect_apart(all);
}

TEST_F(AllocatorTest, ASlotFreedWhereTheRunIsUsedUpIsTheNextRun) {
  const std::vector<Object*> objects = whole_block();
  fill_contents(objects[3], 64, 1);
  allocator_.free(objects[3]);
  EXPECT_EQ(allocator_.allocate_from_run(64, KindNumber::words), objects[3]);
  EXPECT_TRUE(is_cleared(objects[3], 64));
  // It stays the run beyond a sweep, and no other allocator's slot.
  allocator_.free(objects[5]);
  heap_.clear_marks();
  heap_.sweep(OwnedBlocks::left);
  const std::vector<Allocated> all = allocate_beside_another(3 * objects.size());
  EXPECT_EQ(all[0].object, objects[5]);
  expect_apart(all);
}

TEST_F(AllocatorTest, IsNotLockedOutBeyondTheBudget) {
  heap_.lock_out_allocators();
  {
    const BeyondBudget beyond_budget;
    EXPECT_NE(allocator_.allocate_plain(64, KindNumber::words), nullptr);
    EXPECT_NE(allocator_.allocate_plain(kBlockBytes, KindNumber::words), nullptr);
  }
  heap_.lock_out_allocators();
  EXPECT_EQ(allocator_.allocate_plain(64, KindNumber::words), nullptr);
}

TEST_F(AllocatorTest, TheTypesSizeIsTheObjectsSize) {
  const TypeDescriptor type = TypeDescriptor::all_words(40);
  auto* const first = reinterpret_cast<std::byte*>(allocator_.allocate(type));
  auto* const second = reinterpret_cast<std::byte*>(allocator_.allocate(type));
  EXPECT_EQ(second - first, 48) << "40 bytes take a slot of 48";
}

TEST_F(AllocatorTest, ArraysAreClearedAndKnowTheirLength) {
  const TypeDescriptor type = TypeDescriptor::reference_array();
  for (const std::uint64_t length :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{511}, std::uint64_t{1022},
        std::uint64_t{1023}, std::uint64_t{100'000}, std::uint64_t{1'000'000}}) {
    Object* const array = allocator_.allocate_array(type, length);
    ASSERT_NE(array, nullptr) << length;
    EXPECT_EQ(array->type(), &type);
    EXPECT_EQ(array->array_length(), length);
    for (std::uint64_t i = 0; i < length; ++i) ASSERT_EQ(*array->element(i), nullptr);
    if (length > 0) {
      *array->element(length - 1) = array;
      EXPECT_EQ(heap_.object_at(array->element(length - 1)), array);
    }
  }
}

TEST_F(AllocatorTest, ArraysLongerThanMemoryAreRefusedWhateverTheLength) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const TypeDescriptor type = TypeDescriptor::reference_array();
  // Lengths whose bytes overflow 64 bits, do so only when rounded up to blocks, or merely exceed any memory.
  for (const std::uint64_t length :
       {kMost, kMost - 1, kMost / 2, kMost / 8 + 1, kMost / 8, kMost / 8 - 1, kMost / 8 - 2, kMost / 8 - 3,
        (kMost - kBlockBytes) / 8, (kMost - kBlockBytes) / 8 - 4, (kMost - kChunkBytes) / 8,
        std::uint64_t{1} << 60, std::uint64_t{1} << 57, std::uint64_t{1} << 50}) {
    EXPECT_EQ(allocator_.allocate_array(type, length), nullptr) << length;
  }
  EXPECT_NE(allocator_.allocate_array(type, 10), nullptr);
}

TEST_F(AllocatorTest, ObjectsLargerThanMemoryAreRefusedWhateverTheSize) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  for (const std::size_t bytes : {kMost, kMost - 7, kMost - kBlockBytes + 1, kMost - kBlockBytes,
                                  kMost - kChunkBytes, kMost / 2 + 1, kMost / 2}) {
    EXPECT_EQ(allocator_.allocate(data_, bytes), nullptr) << bytes;
  }
  EXPECT_NE(allocator_.allocate(data_, 100), nullptr);
}

TEST_F(AllocatorTest, LeavesItsFirstObjectsToSharedBlocksThroughCollections) {
  Heap heap;
  FirstObjects first_objects(heap);
  std::vector<Object*> kept;
  for (int i = 0; i < 10; ++i) {
    Allocator allocator(heap, &first_objects);
    std::uint32_t from_own_blocks = 0;
    for (std::uint32_t j = 0; j < 3 * Allocator::kFirstObjects; ++j) {
      const bool is_from_own_block = allocator.allocate_from_block(48, KindNumber::words) != nullptr;
      ASSERT_TRUE(!is_from_own_block || j > Allocator::kFirstObjects) << j;
      from_own_blocks += is_from_own_block ? 1 : 0;
      auto* const object =
          static_cast<std::uint64_t*>(static_cast<void*>(allocator.allocate_plain(48, KindNumber::words)));
      ASSERT_NE(object, nullptr);
      for (int word = 0; word < 6; ++word) ASSERT_EQ(object[word], 0U);
      std::fill_n(object, 6, 7U);
      if (j % 3 == 0) kept.push_back(reinterpret_cast<Object*>(object));
    }
    EXPECT_GT(from_own_blocks, 0U);
    heap.clear_marks();
    for (Object* const object : kept) Chunk::of(object)->mark_exclusively(object);
    EXPECT_EQ(heap.sweep(OwnedBlocks::left).live_objects, kept.size());
    for (Object* const object : kept) ASSERT_EQ(heap.object_at(object), object);
  }
}

// Each thread has an allocator of its own and fills what it gets; afterwards every object must still hold
// what its thread wrote.
TEST_F(AllocatorTest, ThreadsAllocateAtTheSameTime) {
  constexpr std::size_t kThreads = 4;
  const std::size_t count = mark::scaled(40'000);
  std::vector<std::vector<Allocated>> objects(kThreads);
  std::atomic<std::size_t> ready{0};
  std::atomic<std::size_t> done{0};
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      Allocator allocator(heap_);
      mark::RandomNumbers random(thread);
      ready.fetch_add(1);
      while (ready.load() < kThreads) std::this_thread::yield();
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t most = i % 1000 == 0 ? 4 * kBlockBytes : i % 50 == 0 ? kLargestSmallBytes : 200;
        const std::size_t bytes = 8 + random.below(static_cast<std::uint32_t>(most - 8));
        Object* const object = allocator.allocate(data_, bytes);
        ASSERT_NE(object, nullptr);
        ASSERT_TRUE(is_cleared(object, bytes));
        fill_contents(object, bytes, thread * count + i);
        objects[thread].push_back({object, bytes});
      }
      // No allocator goes before all have finished: a block must not change hands while it is in use.
      done.fetch_add(1);
      while (done.load() < kThreads) std::this_thread::yield();
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<Allocated> all;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    ASSERT_EQ(objects[thread].size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      const Allocated& allocated = objects[thread][i];
      ASSERT_TRUE(has_contents(allocated.object, allocated.bytes, thread * count + i)) << "thread " << thread;
      all.push_back(allocated);
    }
  }
  expect_apart(std::move(all));
}

// Threads that stop in the middle of a block leave a part of it unused until the next sweep, never two
// owners.
TEST_F(AllocatorTest, AnAllocatorThatGoesLeavesItsObjects) {
  std::vector<Allocated> objects;
  for (std::size_t i = 0; i < 50; ++i) {
    Allocator passing(heap_);
    for (const std::size_t bytes : {std::size_t{32}, std::size_t{300}}) {
      objects.push_back({passing.allocate(data_, bytes), bytes});
      ASSERT_NE(objects.back().object, nullptr);
      fill_contents(objects.back().object, bytes, objects.size());
    }
  }
  expect_apart(objects);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    EXPECT_TRUE(has_contents(objects[i].object, objects[i].bytes, i + 1));
  }
}

}  // namespace
}  // namespace jackdaw::heap
