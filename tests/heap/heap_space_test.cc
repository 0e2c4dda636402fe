// HeapSpace: chunks out of one range of addresses, and back into it.
#include "heap/heap_space.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "base/page_memory.h"
#include "tests/address_space_limit.h"
#include "tests/heap/mapping_flags.h"
#include "tests/scaled.h"

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

TEST(HeapSpace, ChunksGetNoHugePagesWhereTheyAreNotAllowed) {
  if (access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0) GTEST_SKIP() << "there are none";
  HeapSpace space(8 * kChunkBytes, kKinds);
  space.huge_pages().set_use(HugePageUse::never);
  for (const std::size_t chunks : {1U, 1U, 3U}) {
    Chunk* const chunk = space.allocate(chunks * kChunkBytes);
    ASSERT_NE(chunk, nullptr);
    const std::string flags = mapping_flags(reinterpret_cast<std::byte*>(chunk) + chunks * kChunkBytes - 1);
    if (flags.empty()) GTEST_SKIP() << "the system does not tell";
    EXPECT_NE(flags.find(" nh "), std::string::npos) << flags;
  }
}

TEST(HeapSpace, ItEndsWhereItWasAskedToEndAndReleasedAddressesAreUsedAgain) {
  HeapSpace space(4 * kChunkBytes, kKinds);
  std::vector<Chunk*> chunks;
  while (Chunk* const chunk = space.allocate(kChunkBytes)) chunks.push_back(chunk);
  ASSERT_EQ(chunks.size(), 4U);
  Chunk* const released = chunks[1];
  space.release(released);
  EXPECT_EQ(space.allocate(2 * kChunkBytes), nullptr) << "no range of two";
  EXPECT_EQ(space.allocate(kChunkBytes), released);
  space.release(chunks[1]);
  space.release(chunks[2]);
  EXPECT_EQ(space.allocate(2 * kChunkBytes), released);
}

TEST(HeapSpace, WhatOthersHaveIsLeftToThemUntilTheyGo) {
  HeapSpace space(4 * kChunkBytes, kKinds);
  Chunk* const first = space.allocate(kChunkBytes);
  ASSERT_NE(first, nullptr);
  auto* const start = reinterpret_cast<std::byte*>(first);
  const std::size_t bytes = base::page_bytes();
  std::byte* const wanted = start + 2 * kChunkBytes - bytes;
  void* const other =
      mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_EQ(other, wanted);
  *wanted = std::byte{1};
  EXPECT_EQ(space.map().shape_at(reinterpret_cast<std::uintptr_t>(wanted)).bits(), 0U)
      << "no object is there";
  EXPECT_EQ(reinterpret_cast<std::byte*>(space.allocate(kChunkBytes)), start + 2 * kChunkBytes);
  EXPECT_EQ(reinterpret_cast<std::byte*>(space.allocate(kChunkBytes)), start + 3 * kChunkBytes);
  EXPECT_EQ(space.allocate(kChunkBytes), nullptr);
  EXPECT_EQ(*wanted, std::byte{1});
  munmap(other, bytes);
  EXPECT_EQ(reinterpret_cast<std::byte*>(space.allocate(kChunkBytes)), start + kChunkBytes);
}

TEST(HeapSpace, AShortChunkHasItsFirstBlocks) {
  HeapSpace space(2 * kChunkBytes, kKinds);
  Chunk* const chunk = space.allocate(kChunkBytes / 4);
  ASSERT_NE(chunk, nullptr);
  const std::size_t blocks = kBlocksPerChunk / 4 - kFirstBlock;
  EXPECT_FALSE(chunk->is_oversized());
  EXPECT_TRUE(chunk->is_empty());
  EXPECT_EQ(chunk->free_blocks(), blocks);
  EXPECT_EQ(chunk->find_free(blocks), kFirstBlock);
  EXPECT_EQ(chunk->find_free(blocks + 1), 0U);
  *(chunk->block_start(kBlocksPerChunk / 4) - 1) = std::byte{1};
}

TEST(HeapSpace, TakesNoMoreAddressesThanItsChunksDo) {
  if (mark::kSanitized) GTEST_SKIP() << "the sanitizer needs addresses itself";
  const AddressSpaceLimit limit(std::size_t{64} << 20);
  HeapSpace space(std::size_t{1} << 34, kKinds);
  std::size_t chunks = 0;
  while (space.allocate(kChunkBytes) != nullptr) ++chunks;
  EXPECT_EQ(chunks, 3U) << "the tables take some, for these alone";
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

// A thread may have read the map before the chunk was released, and read its tables only now.
TEST(HeapSpace, TheHeaderOfAReleasedChunkStaysAndIsZero) {
  HeapSpace space(8 * kChunkBytes, kKinds);
  for (const std::size_t bytes : {kChunkBytes, kChunkBytes / 4, 3 * kChunkBytes + kBlockBytes}) {
    Chunk* const chunk = space.allocate(bytes);
    ASSERT_NE(chunk, nullptr);
    BlockInfo info;
    info.use = BlockUse::large_head;
    info.blocks = 1;
    info.large_bytes = kBlockBytes;
    chunk->take_block(kFirstBlock, info, KindNumber::data);
    chunk->set_large_allocated(chunk->block_start(kFirstBlock));
    const std::byte* const object = chunk->block_start(kFirstBlock);
    EXPECT_TRUE(chunk->is_allocated(object));
    space.release(chunk);
    std::vector<unsigned char> pages(bytes / 4096);
    ASSERT_EQ(mincore(chunk, kFirstBlock * kBlockBytes, pages.data()), 0) << "it is mapped";
    EXPECT_EQ(std::count(pages.begin(), pages.end(), 0), std::ssize(pages)) << "and takes no memory";
    EXPECT_FALSE(chunk->is_allocated(object));
    auto* const behind = reinterpret_cast<std::byte*>(chunk) + (kFirstBlock + 4) * kBlockBytes;
    EXPECT_NE(mincore(behind, kBlockBytes, pages.data()), 0);
  }
}

TEST(HeapSpace, ChunksOfAnyLengthComeWhereHeadersWereLeft) {
  HeapSpace space(6 * kChunkBytes, kKinds);
  std::vector<Chunk*> chunks;
  while (Chunk* const chunk = space.allocate(kChunkBytes)) chunks.push_back(chunk);
  ASSERT_EQ(chunks.size(), 6U);
  for (Chunk* const chunk : chunks) space.release(chunk);
  Chunk* const chunk = space.allocate(2 * kChunkBytes + kBlockBytes);
  ASSERT_EQ(chunk, chunks.front());
  ASSERT_TRUE(space.extend(chunk, 5 * kChunkBytes + kBlockBytes));
  auto* const objects = chunk->block_start(kFirstBlock);
  auto* const end = reinterpret_cast<std::byte*>(chunk) + 5 * kChunkBytes + kBlockBytes;
  EXPECT_EQ(std::count(objects, end, std::byte{0}), end - objects);
  std::memset(objects, 0xff, static_cast<std::size_t>(end - objects));
  space.release(chunk);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(space.allocate(kChunkBytes), chunks[i]);
}

TEST(HeapSpace, BehindAHeaderThatWasLeftOthersMayBeAlso) {
  HeapSpace space(4 * kChunkBytes, kKinds);
  std::vector<Chunk*> chunks;
  while (Chunk* const chunk = space.allocate(kChunkBytes)) chunks.push_back(chunk);
  ASSERT_EQ(chunks.size(), 4U);
  for (Chunk* const chunk : chunks) space.release(chunk);
  auto* const wanted = reinterpret_cast<std::byte*>(chunks[1]) + kChunkBytes / 2;
  void* const other = mmap(wanted, kBlockBytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_EQ(other, wanted);
  Chunk* const two = space.allocate(2 * kChunkBytes);
  EXPECT_EQ(two, chunks[2]) << "in a piece that has a neighbour";
  EXPECT_FALSE(chunks[1]->is_allocated(wanted)) << "the header is still there";
  EXPECT_EQ(space.allocate(kChunkBytes), chunks[0]);
  EXPECT_EQ(space.allocate(kChunkBytes), nullptr);
  munmap(other, kBlockBytes);
  EXPECT_EQ(space.allocate(kChunkBytes), chunks[1]);
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
  Chunk* const chunk = space.allocate(kChunkBytes + kBlockBytes);
  auto* const last = reinterpret_cast<std::byte*>(chunk) + 3 * kChunkBytes - 1;
  ASSERT_TRUE(space.extend(chunk, 3 * kChunkBytes));
  EXPECT_EQ(chunk->total_bytes(), 3 * kChunkBytes);
  EXPECT_EQ(*last, std::byte{0});
  Chunk* const next = space.allocate(kChunkBytes);
  ASSERT_NE(next, nullptr);
  EXPECT_FALSE(space.extend(chunk, 3 * kChunkBytes + kBlockBytes)) << "another chunk is there";
  EXPECT_FALSE(space.extend(next, 9 * kChunkBytes)) << "there are no more addresses";
  space.release(chunk);
  space.release(next);
}

}  // namespace
}  // namespace jackdaw::heap
