// HeapSpace: chunks out of one range of addresses, and back into it.
#include "heap/heap_space.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <vector>

namespace jackdaw::heap {
namespace {

const KindTable kKinds;

TEST(HeapSpace, ChunksAreAlignedAndApart) {
  HeapSpace space(8 * kChunkBytes, kKinds);
  std::vector<Chunk*> chunks;
  for (int i = 0; i < 8; ++i) {
    chunks.push_back(space.allocate(kChunkBytes));
    ASSERT_NE(chunks.back(), nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(chunks.back()) % kChunkBytes, 0U);
    for (int j = 0; j < i; ++j) EXPECT_NE(chunks[static_cast<std::size_t>(j)], chunks.back());
  }
}

TEST(HeapSpace, ItEndsWhereItWasAskedToEndAndReleasedAddressesAreUsedAgain) {
  HeapSpace space(4 * kChunkBytes, kKinds);
  std::vector<Chunk*> chunks;
  while (Chunk* const chunk = space.allocate(kChunkBytes)) chunks.push_back(chunk);
  ASSERT_GE(chunks.size(), 4U);
  ASSERT_LE(chunks.size(), 5U) << "what alignment leaves over may be one more";
  Chunk* const released = chunks[1];
  space.release(released);
  EXPECT_EQ(space.allocate(2 * kChunkBytes), nullptr) << "no stretch of two";
  EXPECT_EQ(space.allocate(kChunkBytes), released);
  space.release(chunks[1]);
  space.release(chunks[2]);
  EXPECT_EQ(space.allocate(2 * kChunkBytes), released);
}

TEST(HeapSpace, MemoryThatWasReleasedComesBackZero) {
  HeapSpace space(2 * kChunkBytes, kKinds);
  Chunk* chunk = space.allocate(kChunkBytes);
  ASSERT_NE(chunk, nullptr);
  std::byte* const objects = chunk->block_start(kFirstBlock);
  std::memset(objects, 0xff, kUsableBlocks * kBlockBytes);
  space.release(chunk);
  chunk = space.allocate(kChunkBytes);
  ASSERT_EQ(chunk->block_start(kFirstBlock), objects);
  for (std::size_t i = 0; i < kUsableBlocks * kBlockBytes; i += 509) ASSERT_EQ(objects[i], std::byte{0});
}

TEST(HeapSpace, MoreThanItHasIsRefused) {
  HeapSpace space(2 * kChunkBytes, kKinds);
  EXPECT_EQ(space.allocate(std::size_t{1} << 60), nullptr);
  EXPECT_EQ(space.allocate(4 * kChunkBytes), nullptr);
  EXPECT_NE(space.allocate(kChunkBytes), nullptr);
}

TEST(HeapSpace, MoreThanTheSystemHasIsCutDown) {
  HeapSpace space(std::size_t{1} << 47, kKinds);
  Chunk* const chunk = space.allocate(kChunkBytes);
  ASSERT_NE(chunk, nullptr);
  EXPECT_EQ(Chunk::of(chunk->block_start(kFirstBlock)), chunk);
}

TEST(HeapSpace, AChunkGrowsWhereNothingIsInItsWay) {
  HeapSpace space(4 * kChunkBytes, kKinds);
  Chunk* const chunk = space.allocate(kChunkBytes + 1);
  auto* const last = reinterpret_cast<std::byte*>(chunk) + 3 * kChunkBytes - 1;
  ASSERT_TRUE(space.extend(chunk, 3 * kChunkBytes));
  EXPECT_EQ(chunk->total_bytes(), 3 * kChunkBytes);
  EXPECT_EQ(*last, std::byte{0});
  Chunk* const next = space.allocate(kChunkBytes);
  ASSERT_NE(next, nullptr);
  EXPECT_FALSE(space.extend(chunk, 3 * kChunkBytes + 1)) << "another chunk is there";
  EXPECT_FALSE(space.extend(next, 9 * kChunkBytes)) << "there are no more addresses";
  space.release(chunk);
  space.release(next);
}

}  // namespace
}  // namespace jackdaw::heap
