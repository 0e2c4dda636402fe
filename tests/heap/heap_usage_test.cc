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
  // Blocks of chunks that hold one object are free for nobody.
  void expect_whole(std::uint64_t chunks) {
    const HeapUsage& usage = heap_.usage();
    EXPECT_EQ(usage.used + usage.free, chunks * kUsableBlocks * kBlockBytes);
    EXPECT_LE(usage.given_back, usage.free);
  }

  Heap heap_;
  Allocator allocator_{heap_};
};

TEST_F(HeapUsageTest, BlocksAreUsedOrFree) {
  EXPECT_EQ(heap_.usage().taken, 0U);
  ASSERT_NE(allocator_.allocate_plain(16, KindNumber::words), nullptr);
  EXPECT_EQ(heap_.usage().used, kBlockBytes);
  EXPECT_EQ(heap_.usage().taken, kChunkBytes);
  expect_whole(1);
  Object* const large = allocator_.allocate_plain(3 * kBlockBytes, KindNumber::words);
  EXPECT_EQ(heap_.usage().used, 4 * kBlockBytes);
  EXPECT_TRUE(heap_.resize_large(large, 5 * kBlockBytes));
  EXPECT_EQ(heap_.usage().used, 6 * kBlockBytes);
  expect_whole(1);
  heap_.free_large(large);
  EXPECT_EQ(heap_.usage().used, kBlockBytes);
  EXPECT_EQ(heap_.usage().allocated, 6 * kBlockBytes) << "what was freed was allocated all the same";
  expect_whole(1);
}

TEST_F(HeapUsageTest, AnObjectOfItsOwnChunkIsUsedAlone) {
  Object* const oversized = allocator_.allocate_plain(2 * kChunkBytes, KindNumber::words);
  ASSERT_NE(oversized, nullptr);
  EXPECT_EQ(heap_.usage().used, 2 * kChunkBytes);
  EXPECT_EQ(heap_.usage().free, 0U);
  heap_.free_large(oversized);
  EXPECT_EQ(heap_.usage().used, 0U);
  EXPECT_EQ(heap_.usage().free, 0U);
  EXPECT_GT(heap_.usage().taken, 2 * kChunkBytes) << "all that there ever was";
}

TEST_F(HeapUsageTest, WhatTheSystemHasBackIsCountedUntilItIsTakenAgain) {
  ASSERT_NE(allocator_.allocate_plain(16, KindNumber::words), nullptr);
  heap_.free_large(allocator_.allocate_plain(4 * kBlockBytes, KindNumber::words));
  EXPECT_EQ(heap_.usage().given_back, 0U);
  heap_.release_free_memory();
  EXPECT_EQ(heap_.usage().given_back, 4 * kBlockBytes);
  expect_whole(1);
  ASSERT_NE(allocator_.allocate_plain(3 * kBlockBytes, KindNumber::words), nullptr);
  EXPECT_EQ(heap_.usage().given_back, kBlockBytes);
  expect_whole(1);
}

TEST_F(HeapUsageTest, EmptyChunksAreNotCountedAnyMore) {
  heap_.free_large(allocator_.allocate_plain(4 * kBlockBytes, KindNumber::words));
  heap_.release_free_memory();
  EXPECT_EQ(heap_.usage().free, 0U);
  EXPECT_EQ(heap_.usage().given_back, 0U);
  EXPECT_EQ(heap_.usage().taken, kChunkBytes);
}

TEST_F(HeapUsageTest, TheHeapDoesNotGrowBeforeItsThreshold) {
  heap_.set_growth_threshold(1);
  EXPECT_EQ(allocator_.allocate_plain(16, KindNumber::words), nullptr);
  EXPECT_TRUE(heap_.expand_to(kChunkBytes)) << "the collector may make it larger all the same";
  EXPECT_NE(allocator_.allocate_plain(16, KindNumber::words), nullptr);
  EXPECT_NE(allocator_.allocate_plain(kChunkBytes, KindNumber::words), nullptr) << "a block was allocated";
}

}  // namespace
}  // namespace jackdaw::heap
