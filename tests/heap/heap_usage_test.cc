// HeapUsage: where the bytes of a heap are, after every change.
#include "heap/heap_usage.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "heap/allocator.h"
#include "heap/heap.h"

namespace jackdaw::heap {
namespace {

class HeapUsageTest : public testing::Test {
 protected:
  void expect(std::uint64_t used_blocks, std::uint64_t free_blocks, std::uint64_t blocks_given_back) {
    const HeapUsage& usage = heap_.usage();
    EXPECT_EQ(usage.used, used_blocks * kBlockBytes);
    EXPECT_EQ(usage.free, free_blocks * kBlockBytes);
    EXPECT_EQ(usage.given_back, blocks_given_back * kBlockBytes);
    EXPECT_EQ(heap_.bytes(), usage.used + usage.free);
  }

  Heap heap_;
  Allocator allocator_{heap_};
};

TEST_F(HeapUsageTest, BlocksWithMemoryAreUsedOrFree) {
  EXPECT_EQ(heap_.usage().taken, 0U);
  ASSERT_NE(allocator_.allocate_plain(16, KindNumber::words), nullptr);
  EXPECT_EQ(heap_.usage().taken, kChunkBytes);
  expect(1, 0, 0);
  Object* const large = allocator_.allocate_plain(3 * kBlockBytes, KindNumber::words);
  expect(4, 0, 0);
  EXPECT_TRUE(heap_.resize_large(large, 5 * kBlockBytes));
  expect(6, 0, 0);
  EXPECT_TRUE(heap_.resize_large(large, 2 * kBlockBytes));
  expect(3, 3, 0);
  heap_.free_large(large);
  expect(1, 5, 0);
  EXPECT_EQ(heap_.usage().allocated, 6 * kBlockBytes) << "what was freed was allocated all the same";
  ASSERT_NE(allocator_.allocate_plain(6 * kBlockBytes, KindNumber::words), nullptr);
  expect(7, 0, 0);
}

TEST_F(HeapUsageTest, AnObjectOfItsOwnChunkIsUsedAlone) {
  Object* const oversized = allocator_.allocate_plain(2 * kChunkBytes, KindNumber::words);
  ASSERT_NE(oversized, nullptr);
  expect(2 * kBlocksPerChunk, 0, 0);
  EXPECT_TRUE(heap_.resize_large(oversized, kChunkBytes));
  expect(kBlocksPerChunk, 0, 0);
  EXPECT_TRUE(heap_.resize_large(oversized, 3 * kChunkBytes));
  expect(3 * kBlocksPerChunk, 0, 0);
  heap_.free_large(oversized);
  expect(0, 0, 0);
  EXPECT_GT(heap_.usage().taken, 2 * kChunkBytes) << "all that there ever was";
}

TEST_F(HeapUsageTest, WhatTheSystemHasBackIsCountedUntilItIsTakenAgain) {
  ASSERT_NE(allocator_.allocate_plain(16, KindNumber::words), nullptr);
  heap_.free_large(allocator_.allocate_plain(4 * kBlockBytes, KindNumber::words));
  expect(1, 4, 0);
  heap_.release_free_memory();
  expect(1, 0, 4);
  ASSERT_NE(allocator_.allocate_plain(3 * kBlockBytes, KindNumber::words), nullptr);
  expect(4, 0, 1);
}

TEST_F(HeapUsageTest, EmptyChunksAreNotCountedAnyMore) {
  heap_.free_large(allocator_.allocate_plain(4 * kBlockBytes, KindNumber::words));
  expect(0, 4, 0);
  heap_.release_free_memory();
  expect(0, 0, 0);
  EXPECT_EQ(heap_.usage().taken, kChunkBytes);
}

TEST_F(HeapUsageTest, AHeapIsAsLargeAsItWasExpandedTo) {
  EXPECT_TRUE(heap_.expand_to(100 * kBlockBytes));
  EXPECT_EQ(heap_.bytes(), 100 * kBlockBytes);
  ASSERT_NE(allocator_.allocate_plain(50 * kBlockBytes, KindNumber::words), nullptr);
  EXPECT_EQ(heap_.bytes(), 100 * kBlockBytes);
  ASSERT_NE(allocator_.allocate_plain(51 * kBlockBytes, KindNumber::words), nullptr);
  EXPECT_EQ(heap_.bytes(), 101 * kBlockBytes);
}

TEST_F(HeapUsageTest, TheHeapDoesNotGrowBeforeItsThreshold) {
  heap_.budget().set_growth_threshold(1);
  EXPECT_EQ(allocator_.allocate_plain(16, KindNumber::words), nullptr);
  EXPECT_TRUE(heap_.expand_to(kChunkBytes)) << "the collector may make it larger all the same";
  EXPECT_NE(allocator_.allocate_plain(16, KindNumber::words), nullptr);
  EXPECT_NE(allocator_.allocate_plain(kChunkBytes, KindNumber::words), nullptr) << "a block was allocated";
}

}  // namespace
}  // namespace jackdaw::heap
