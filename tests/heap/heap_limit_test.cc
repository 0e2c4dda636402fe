// The heap's limit and budget: allocation gives null when they are reached, and works again when there is
// room.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "heap/allocator.h"
#include "heap/heap.h"
#include "tests/address_space_limit.h"
#include "tests/heap/contents.h"
#include "tests/heap/marks.h"
#include "tests/scaled.h"

namespace jackdaw::heap {
namespace {

const TypeDescriptor& data() {
  static const TypeDescriptor type = TypeDescriptor::none(0);
  return type;
}

// Allocates until there is no more; ends the test when there seems to be no limit.
std::vector<Object*> allocate_all(Allocator& allocator, std::size_t bytes, std::size_t most = 10'000'000) {
  std::vector<Object*> objects;
  while (Object* const object = allocator.allocate(data(), bytes)) {
    objects.push_back(object);
    if (objects.size() > most) {
      ADD_FAILURE() << "allocation does not stop";
      break;
    }
  }
  return objects;
}

TEST(HeapLimit, OneChunkHoldsAsManyObjectsAsItHasSlots) {
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{3000}, kLargestSmallBytes}) {
    Heap heap(kUsableBlocks * kBlockBytes);
    Allocator allocator(heap);
    const std::size_t slots = kBlockBytes / SizeClasses::slot_bytes(SizeClasses::class_of(bytes));
    EXPECT_EQ(allocate_all(allocator, bytes).size(), kUsableBlocks * slots) << bytes;
    EXPECT_EQ(heap.chunk_bytes(), kChunkBytes);
  }
}

TEST(HeapLimit, IsReachedToWithinABlockAndNeverPassed) {
  for (const std::size_t limit : {kBlockBytes, std::size_t{2} << 20, (std::size_t{2} << 20) + 5000,
                                  3 * kChunkBytes + kChunkBytes / 2}) {
    Heap heap(limit);
    Allocator allocator(heap);
    EXPECT_EQ(allocate_all(allocator, 64).size(), limit / kBlockBytes * (kBlockBytes / 64)) << limit;
    EXPECT_EQ(heap.bytes(), limit / kBlockBytes * kBlockBytes);
    keep_nothing(heap);
    for (const std::size_t blocks : {std::size_t{1}, std::size_t{7}, kUsableBlocks, kBlocksPerChunk}) {
      EXPECT_EQ(allocate_all(allocator, blocks * kBlockBytes).size(), limit / (blocks * kBlockBytes))
          << limit;
      EXPECT_LE(heap.bytes(), limit);
      keep_nothing(heap);
    }
  }
}

TEST(HeapLimit, BelowOneBlockThereIsNoMemoryAtAll) {
  Heap heap(kBlockBytes - 1);
  Allocator allocator(heap);
  EXPECT_EQ(allocator.allocate(data(), 8), nullptr);
  EXPECT_EQ(allocator.allocate(data(), 100'000), nullptr);
  EXPECT_EQ(allocator.allocate(data(), 2 * kChunkBytes), nullptr);
  EXPECT_EQ(heap.chunk_bytes(), 0U);
}

TEST(HeapLimit, MayBeRaisedAndLowered) {
  Heap heap(100 * kBlockBytes);
  Allocator allocator(heap);
  EXPECT_EQ(allocate_all(allocator, kBlockBytes).size(), 100U);
  heap.set_limit(250 * kBlockBytes);
  EXPECT_EQ(allocate_all(allocator, kBlockBytes).size(), 150U);
  heap.set_limit(10 * kBlockBytes);
  EXPECT_EQ(allocator.allocate(data(), kBlockBytes), nullptr);
  keep_nothing(heap);
  EXPECT_EQ(allocate_all(allocator, kBlockBytes).size(), 10U);
  EXPECT_LE(heap.bytes(), 10 * kBlockBytes);
}

// Free blocks between objects cannot hold a longer one: their memory is used where there is room.
TEST(HeapLimit, MemoryOfScatteredFreeBlocksServesLongerObjects) {
  if (Chunk::blocks_of_page() != 1) GTEST_SKIP() << "a block is no whole page";
  Heap heap(100 * kBlockBytes);
  Allocator allocator(heap);
  const std::vector<Object*> objects = allocate_all(allocator, kBlockBytes);
  ASSERT_EQ(objects.size(), 100U);
  for (std::size_t i = 0; i < objects.size(); i += 2) heap.free_large(objects[i]);
  EXPECT_EQ(allocate_all(allocator, 5 * kBlockBytes).size(), 10U);
  EXPECT_EQ(heap.bytes(), 100 * kBlockBytes);
}

// The process may be limited when it has a heap already.
TEST(HeapLimit, ScarceAddressesAreUsedToTheLastMebibytes) {
  if (mark::kSanitized) GTEST_SKIP() << "the sanitizer needs addresses itself";
  constexpr std::size_t kMebibyte = std::size_t{1} << 20;
  Heap heap;
  Allocator allocator(heap);
  ASSERT_NE(allocator.allocate(data(), 8), nullptr);
  std::size_t quarters = 0;
  {
    const AddressSpaceLimit limit(100 * kMebibyte);
    Object* object = nullptr;
    while ((object = heap.allocate_large(kMebibyte / 4, KindNumber::data)) != nullptr) {
      fill_contents(object, kMebibyte / 4, ++quarters);
    }
  }
  EXPECT_GE(quarters / 4, 105U) << "most of them, and what was left of the first chunk";
  EXPECT_LE(quarters / 4, 116U);
  keep_nothing(heap);
  EXPECT_NE(heap.allocate_large(2 * kChunkBytes, KindNumber::data), nullptr);
}

TEST(HeapLimit, HoldsForObjectsThatGrow) {
  Heap heap(3 * kChunkBytes);
  Object* const object = heap.allocate_large(2 * kChunkBytes, KindNumber::data);
  ASSERT_NE(object, nullptr);
  EXPECT_FALSE(heap.resize_large(object, 3 * kChunkBytes + 1));
  EXPECT_TRUE(heap.resize_large(object, 3 * kChunkBytes));
  EXPECT_EQ(heap.allocate_large(kBlockBytes, KindNumber::data), nullptr);
  EXPECT_TRUE(heap.resize_large(object, 2 * kChunkBytes));
  Object* const other = heap.allocate_large(kBlockBytes, KindNumber::data);
  ASSERT_NE(other, nullptr);
  EXPECT_TRUE(heap.resize_large(other, kChunkBytes / 2));
  EXPECT_FALSE(heap.resize_large(object, 3 * kChunkBytes));
  EXPECT_EQ(heap.bytes(), 2 * kChunkBytes + kChunkBytes / 2);
}

TEST(HeapLimit, RecoversWhenGarbageIsSwept) {
  Heap heap(kUsableBlocks * kBlockBytes);
  Allocator allocator(heap);
  for (const std::size_t bytes : {std::size_t{48}, std::size_t{5000}, std::size_t{48'000}, std::size_t{48}}) {
    const std::vector<Object*> objects = allocate_all(allocator, bytes);
    ASSERT_FALSE(objects.empty());
    EXPECT_EQ(allocator.allocate(data(), bytes), nullptr) << "null again and again";
    // Half of it stays and is not touched by what is allocated beside it.
    std::vector<Object*> kept;
    for (std::size_t i = 0; i < objects.size(); i += 2) {
      fill_contents(objects[i], bytes, i);
      kept.push_back(objects[i]);
    }
    keep_only(heap, kept);
    EXPECT_EQ(allocate_all(allocator, bytes).size(), objects.size() - kept.size());
    for (std::size_t i = 0; i < objects.size(); i += 2) ASSERT_TRUE(has_contents(objects[i], bytes, i));
    keep_nothing(heap);
  }
}

TEST(HeapLimit, CountsOversizedObjectsWithoutTheirHeader) {
  Heap heap(4 * kChunkBytes);
  Allocator allocator(heap);
  EXPECT_EQ(allocator.allocate(data(), 4 * kChunkBytes + 1), nullptr);
  ASSERT_NE(allocator.allocate(data(), 4 * kChunkBytes), nullptr);
  EXPECT_EQ(heap.bytes(), 4 * kChunkBytes);
  EXPECT_EQ(allocator.allocate(data(), 8), nullptr);
  keep_nothing(heap);
  EXPECT_NE(allocator.allocate(data(), 3 * kChunkBytes), nullptr);
}

// Chunks that a collection left empty are kept for later; they must not stand in the way of an object that
// needs the memory in another shape.
TEST(HeapLimit, EmptyChunksMakeRoomForAnOversizedObject) {
  Heap heap(4 * kChunkBytes);
  Allocator allocator(heap);
  ASSERT_FALSE(allocate_all(allocator, 64).empty());
  keep_nothing(heap);
  EXPECT_NE(allocator.allocate(data(), 3 * kChunkBytes + kChunkBytes / 2), nullptr);
  EXPECT_LE(heap.bytes(), 4 * kChunkBytes);
}

TEST(HeapBudget, AllocationStopsAtItAndGoesOnWhenItIsRaised) {
  Heap heap;
  Allocator allocator(heap);
  heap.budget().set(10 * kBlockBytes);
  const std::size_t slots = kBlockBytes / 64;
  EXPECT_EQ(allocate_all(allocator, 64).size(), 10 * slots);
  EXPECT_EQ(heap.allocated_bytes(), 10 * kBlockBytes);
  heap.budget().set(15 * kBlockBytes);
  EXPECT_EQ(allocate_all(allocator, 64).size(), 5 * slots);
}

TEST(HeapBudget, StartsAfreshAfterASweep) {
  Heap heap;
  Allocator allocator(heap);
  heap.budget().set(4 * kBlockBytes);
  const std::size_t first = allocate_all(allocator, 128).size();
  keep_nothing(heap);
  EXPECT_EQ(heap.allocated_bytes(), 0U);
  EXPECT_EQ(allocate_all(allocator, 128).size(), first);
}

TEST(HeapBudget, CountsLargeObjectsByBlockAndOversizedOnesByByte) {
  Heap heap;
  Allocator allocator(heap);
  ASSERT_NE(allocator.allocate(data(), kBlockBytes + 8), nullptr);
  EXPECT_EQ(heap.allocated_bytes(), 2 * kBlockBytes);
  ASSERT_NE(allocator.allocate(data(), 2 * kChunkBytes), nullptr);
  EXPECT_EQ(heap.allocated_bytes(), 2 * kBlockBytes + 2 * kChunkBytes);
  heap.budget().set(heap.allocated_bytes() + kBlockBytes);
  EXPECT_EQ(allocator.allocate(data(), kBlockBytes + 8), nullptr);
  EXPECT_EQ(allocator.allocate(data(), 2 * kChunkBytes), nullptr);
  EXPECT_NE(allocator.allocate(data(), kBlockBytes), nullptr);
}

// Memory that the heap has may be used; for growth the budget is smaller.
TEST(HeapBudget, IsSmallerWhereTheHeapWouldGrow) {
  Heap heap;
  Allocator allocator(heap);
  heap.budget().set(20 * kBlockBytes);
  ASSERT_EQ(allocate_all(allocator, kBlockBytes).size(), 20U);
  keep_nothing(heap);
  heap.budget().set(40 * kBlockBytes, 10 * kBlockBytes, 25 * kBlockBytes);
  EXPECT_EQ(allocate_all(allocator, kBlockBytes).size(), 25U);
  EXPECT_EQ(heap.bytes(), 25 * kBlockBytes);
  const BeyondBudget beyond_budget;
  EXPECT_NE(allocator.allocate(data(), kBlockBytes), nullptr);
}

TEST(HeapBudget, WhereTheHeapWouldGrowHoldsForChunksToo) {
  Heap heap;
  Allocator allocator(heap);
  heap.budget().set(4 * kChunkBytes, kChunkBytes / 2, 0);
  EXPECT_NE(allocator.allocate(data(), 2 * kChunkBytes), nullptr);
  EXPECT_EQ(allocator.allocate(data(), kChunkBytes), nullptr);
  EXPECT_TRUE(heap.expand_to(8 * kChunkBytes));
  EXPECT_NE(allocator.allocate(data(), kChunkBytes / 2), nullptr);
}

TEST(HeapBudget, OfNothingLetsNothingThrough) {
  Heap heap;
  Allocator allocator(heap);
  heap.budget().set(0);
  EXPECT_EQ(allocator.allocate(data(), 8), nullptr);
  EXPECT_EQ(allocator.allocate(data(), 20'000), nullptr);
  EXPECT_EQ(allocator.allocate(data(), 3'000'000), nullptr);
  EXPECT_EQ(heap.chunk_bytes(), 0U);
  heap.budget().set(std::numeric_limits<std::uint64_t>::max());
  EXPECT_NE(allocator.allocate(data(), 8), nullptr);
}

}  // namespace
}  // namespace jackdaw::heap
