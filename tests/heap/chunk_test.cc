// Chunk: mark bits, exclusive and shared, and the table of blocks.
#include "heap/chunk.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "base/page_memory.h"
#include "heap/heap_space.h"
#include "tests/scaled.h"

namespace jackdaw::heap {
namespace {

HeapSpace& space() {
  static const KindTable kinds;
  static HeapSpace all(64 * kChunkBytes, kinds);
  return all;
}

struct ReleaseChunk {
  void operator()(Chunk* chunk) const { space().release(chunk); }
};
using OwnedChunk = std::unique_ptr<Chunk, ReleaseChunk>;

OwnedChunk make_chunk(std::size_t total_bytes = kChunkBytes) {
  return OwnedChunk(space().allocate(total_bytes));
}

std::byte* granule(Chunk& chunk, std::size_t index) {
  return chunk.block_start(kFirstBlock) + index * kGranuleBytes;
}

constexpr std::size_t kGranules = kUsableBlocks * kGranulesPerBlock;

BlockInfo block_of_slots(std::uint32_t slot_bytes) {
  BlockInfo info;
  info.use = BlockUse::small;
  info.size_class = SizeClasses::class_of(slot_bytes);
  info.slot_bytes = slot_bytes;
  return info;
}

// In each granule of it an object starts, and none is marked.
OwnedChunk make_full_chunk() {
  OwnedChunk chunk = make_chunk();
  for (std::size_t block = kFirstBlock; block < kBlocksPerChunk; ++block) {
    chunk->take_block(block, block_of_slots(kGranuleBytes), KindNumber::words);
    chunk->set_allocated(block, {0, kGranulesPerBlock}, false);
    chunk->clear_marks(block);
  }
  return chunk;
}

TEST(Chunk, IsAlignedAndFoundFromEveryAddressOfIt) {
  const OwnedChunk chunk = make_chunk();
  ASSERT_NE(chunk, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(chunk.get()) % kChunkBytes, 0U);
  const auto* const start = reinterpret_cast<const std::byte*>(chunk.get());
  for (const std::size_t offset :
       {std::size_t{0}, std::size_t{1}, kBlockBytes, kChunkBytes / 2, kChunkBytes - 1}) {
    EXPECT_EQ(Chunk::of(start + offset), chunk.get());
  }
}

TEST(Chunk, StartsWithoutMarksAndWithAllBlocksFree) {
  const OwnedChunk chunk = make_chunk();
  EXPECT_EQ(chunk->free_blocks(), kUsableBlocks);
  EXPECT_TRUE(chunk->is_empty());
  EXPECT_FALSE(chunk->is_oversized());
  for (std::size_t i = 0; i < kGranules; ++i) ASSERT_FALSE(chunk->is_marked(granule(*chunk, i)));
}

TEST(Chunk, CountsTheMarksOfABlockFromNoneToAll) {
  const OwnedChunk chunk = make_chunk();
  const std::size_t block = kFirstBlock + 1;
  const BlockInfo info = block_of_slots(kGranuleBytes);
  for (const std::size_t each : {block - 1, block, block + 1}) {
    chunk->take_block(each, info, KindNumber::words);
    chunk->set_allocated(each, {0, kGranulesPerBlock}, false);
    chunk->clear_marks(each);
  }
  // In an order that fills all words of the block evenly.
  constexpr std::size_t kStep = 67;
  static_assert(kGranulesPerBlock % kStep != 0);
  for (std::size_t count = 0; count < kGranulesPerBlock; ++count) {
    ASSERT_EQ(chunk->count_marks(block), count);
    ASSERT_TRUE(
        chunk->mark_exclusively(granule(*chunk, kGranulesPerBlock + count * kStep % kGranulesPerBlock)));
  }
  EXPECT_EQ(chunk->count_marks(block), kGranulesPerBlock);
  EXPECT_EQ(chunk->count_marks(block - 1), 0U);
  EXPECT_EQ(chunk->count_marks(block + 1), 0U);
}

TEST(Chunk, CountsTheMarksOfBlocksOfEverySize) {
  for (std::uint8_t size_class = 0; size_class < SizeClasses::kCount; ++size_class) {
    const OwnedChunk chunk = make_chunk();
    const std::size_t block = kFirstBlock;
    const BlockInfo info = block_of_slots(SizeClasses::slot_bytes(size_class));
    chunk->take_block(block, info, KindNumber::words);
    const std::uint32_t step = info.slot_bytes / kGranuleBytes;
    chunk->set_allocated(block, {0, info.slots() * step}, false);
    chunk->clear_marks(block);
    EXPECT_EQ(chunk->count_marks(block), 0U);
    for (std::uint32_t slot = 0; slot < info.slots(); ++slot) {
      ASSERT_TRUE(chunk->mark_exclusively(granule(*chunk, slot * step)));
      ASSERT_EQ(chunk->count_marks(block), slot + 1) << info.slot_bytes;
    }
  }
}

TEST(Chunk, MarkIsToldOnceAndLeavesTheOthersAlone) {
  for (const bool shared : {false, true}) {
    const OwnedChunk chunk = make_full_chunk();
    const auto mark = [&](std::size_t i) {
      std::byte* const object = granule(*chunk, i);
      return shared ? chunk->mark_shared(object) : chunk->mark_exclusively(object);
    };
    // Places around the borders of mark words and blocks, and the last granule.
    const std::vector<std::size_t> places = {0,
                                             1,
                                             62,
                                             63,
                                             64,
                                             65,
                                             127,
                                             500,
                                             kGranulesPerBlock - 1,
                                             kGranulesPerBlock,
                                             5000,
                                             5001,
                                             5003,
                                             kGranules - 2,
                                             kGranules - 1};
    for (const std::size_t place : places) {
      EXPECT_TRUE(mark(place));
      EXPECT_FALSE(mark(place));
    }
    std::vector<std::size_t> marked;
    for (std::size_t i = 0; i < kGranules; ++i)
      if (chunk->is_marked(granule(*chunk, i))) marked.push_back(i);
    EXPECT_EQ(marked, places);
  }
}

TEST(Chunk, BothWaysOfMarkingSeeEachOthersMarks) {
  const OwnedChunk chunk = make_full_chunk();
  EXPECT_TRUE(chunk->mark_shared(granule(*chunk, 7)));
  EXPECT_FALSE(chunk->mark_exclusively(granule(*chunk, 7)));
  EXPECT_TRUE(chunk->mark_exclusively(granule(*chunk, 8)));
  EXPECT_FALSE(chunk->mark_shared(granule(*chunk, 8)));
}

TEST(Chunk, ABlocksMarkWordsAreThoseOfItsGranules) {
  const OwnedChunk chunk = make_full_chunk();
  for (const std::size_t block : {kFirstBlock, kFirstBlock + 1, kBlocksPerChunk - 1}) {
    std::byte* const last = chunk->block_start(block) + kBlockBytes - kGranuleBytes;
    chunk->mark_exclusively(chunk->block_start(block));
    chunk->mark_exclusively(last);
    EXPECT_EQ(chunk->mark_words(block)[0].load(), 1U);
    EXPECT_EQ(chunk->mark_words(block)[kMarkWordsPerBlock - 1].load(), std::uint64_t{1} << 63);
    EXPECT_EQ(chunk->block_index(chunk->block_start(block)), block);
  }
}

// Every thread tries to mark every second granule, so threads meet in every mark word; the granules between
// must stay clear. Run many times because a lost update is a matter of luck.
TEST(Chunk, OfManyThreadsExactlyOneIsToldThatItMarked) {
  constexpr std::size_t kThreads = 4;
  const std::size_t rounds = mark::scaled(50);
  for (std::size_t round = 0; round < rounds; ++round) {
    const OwnedChunk chunk = make_full_chunk();
    std::atomic<std::size_t> ready{0};
    std::vector<std::vector<std::uint8_t>> told(kThreads, std::vector<std::uint8_t>(kGranules, 0));
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        ready.fetch_add(1);
        while (ready.load() < kThreads) std::this_thread::yield();
        for (std::size_t i = 0; i < kGranules; i += 2)
          told[thread][i] = chunk->mark_shared(granule(*chunk, i)) ? 1 : 0;
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < kGranules; ++i) {
      std::size_t times = 0;
      for (const std::vector<std::uint8_t>& of_thread : told) times += of_thread[i];
      const std::size_t expected = i % 2 == 0 ? 1 : 0;
      if (times != expected || chunk->is_marked(granule(*chunk, i)) != (i % 2 == 0))
        FAIL() << "granule " << i << ", told " << times << " times";
    }
  }
}

TEST(Chunk, FindsRunsOfFreeBlocksAndNoOthers) {
  const OwnedChunk chunk = make_chunk();
  const BlockInfo info = block_of_slots(16);
  EXPECT_EQ(chunk->find_free(1), kFirstBlock);
  EXPECT_EQ(chunk->find_free(kUsableBlocks), kFirstBlock);
  EXPECT_EQ(chunk->find_free(kUsableBlocks + 1), 0U);
  EXPECT_TRUE(chunk->take_block(kFirstBlock + 3, info, KindNumber::data)) << "nobody wrote to it";
  EXPECT_EQ(chunk->find_free(3), kFirstBlock);
  EXPECT_EQ(chunk->find_free(4), kFirstBlock + 4);
  EXPECT_EQ(chunk->find_free(kUsableBlocks - 4), kFirstBlock + 4);
  EXPECT_EQ(chunk->find_free(kUsableBlocks - 3), 0U);
  EXPECT_EQ(chunk->free_blocks(), kUsableBlocks - 1);
  EXPECT_FALSE(chunk->is_empty());
  chunk->release_block(kFirstBlock + 3);
  EXPECT_EQ(chunk->find_free(kUsableBlocks), kFirstBlock);
  EXPECT_EQ(chunk->block(kFirstBlock + 3).use, BlockUse::free);
  EXPECT_FALSE(chunk->take_block(kFirstBlock + 3, info, KindNumber::data)) << "somebody may have written";
}

TEST(Chunk, AvoidsBlacklistedBlocksUntilTheyAreForgotten) {
  const OwnedChunk chunk = make_chunk();
  chunk->map().blacklist(reinterpret_cast<std::uintptr_t>(chunk->block_start(kFirstBlock + 1)));
  EXPECT_EQ(chunk->find_free(2, Blacklisted::accepted), kFirstBlock);
  EXPECT_EQ(chunk->find_free(2, Blacklisted::avoided), kFirstBlock + 2);
  EXPECT_EQ(chunk->find_free(kUsableBlocks, Blacklisted::avoided), 0U);
  auto& map = const_cast<BlockMap&>(chunk->map());
  map.start_round();
  map.start_round();
  chunk->forget_blacklisted();
  EXPECT_EQ(chunk->find_free(kUsableBlocks, Blacklisted::avoided), kFirstBlock);
}

// Finds the run that a plain search finds, whatever was searched for before.
TEST(Chunk, FindsTheFirstRunAfterAnyTakesAndReleases) {
  const OwnedChunk chunk = make_chunk();
  const BlockInfo info = block_of_slots(16);
  std::mt19937 random(1);
  std::array<bool, kBlocksPerChunk> taken{};
  int blocks_taken = 0;
  const auto first_run = [&](std::size_t count) -> std::size_t {
    std::size_t run = 0;
    for (std::size_t block = kFirstBlock; block < kBlocksPerChunk; ++block) {
      run = taken[block] ? 0 : run + 1;
      if (run == count) return block + 1 - count;
    }
    return 0;
  };
  for (std::size_t step = 0; step < mark::scaled(20000); ++step) {
    const std::size_t block = kFirstBlock + random() % kUsableBlocks;
    if (!taken[block] && blocks_taken < 500) {
      (void)chunk->take_block(block, info, KindNumber::data);
      taken[block] = true;
      ++blocks_taken;
    } else if (taken[block] && random() % 16 == 0) {
      chunk->release_block(block);
      taken[block] = false;
      --blocks_taken;
    }
    const std::size_t count = 1 + random() % (random() % 2 == 0 ? 12 : 200);
    const Blacklisted blacklisted = step % 2 == 0 ? Blacklisted::accepted : Blacklisted::avoided;
    ASSERT_EQ(chunk->find_free(count, blacklisted), first_run(count)) << count << " blocks, step " << step;
  }
}

TEST(Chunk, MayHoldTheKindsOfBlocksTakenSinceItWasEmpty) {
  const OwnedChunk chunk = make_chunk();
  constexpr auto kLast = static_cast<KindNumber>(KindTable::kMaximumKinds - 1);
  const auto kinds_held = [&] {
    std::set<KindNumber> kinds;
    for (std::size_t number = 0; number < KindTable::kMaximumKinds; ++number) {
      const auto kind = static_cast<KindNumber>(number);
      if (chunk->may_hold([kind](KindNumber other) { return other == kind; })) kinds.insert(kind);
    }
    return kinds;
  };
  const auto take = [&](std::size_t block, KindNumber kind) {
    chunk->take_block(block, block_of_slots(16), kind);
  };
  EXPECT_EQ(kinds_held(), std::set<KindNumber>());
  take(kFirstBlock, KindNumber::data);
  EXPECT_EQ(kinds_held(), std::set{KindNumber::data});
  take(kFirstBlock + 7, kLast);
  take(kFirstBlock + 9, KindNumber::references);
  const std::set all{KindNumber::references, KindNumber::data, kLast};
  EXPECT_EQ(kinds_held(), all);
  chunk->release_block(kFirstBlock);
  chunk->release_block(kFirstBlock + 7);
  EXPECT_TRUE(kinds_held().contains(KindNumber::references));
  chunk->release_block(kFirstBlock + 9);
  EXPECT_EQ(kinds_held(), std::set<KindNumber>());
  take(kFirstBlock + 7, kLast);
  EXPECT_EQ(kinds_held(), std::set{kLast});
}

// It has the first blocks that lie on a page of their own, up to four, and the block behind them.
class ChunkOnPages : public testing::Test {
 protected:
  // Takes and writes all, and has the memory of all but the last given back.
  ChunkOnPages() {
    for (std::size_t block = first_; block <= last_; ++block) {
      chunk_->take_block(block, block_of_slots(16), KindNumber::data);
      *chunk_->block_start(block) = std::byte{1};
    }
    for (std::size_t block = first_; block < last_; ++block) chunk_->release_block(block);
    chunk_->release_free_memory();
  }

  const OwnedChunk chunk_ = make_chunk();
  const std::size_t first_ = (kFirstBlock / Chunk::blocks_of_page() + 1) * Chunk::blocks_of_page();
  const std::size_t last_ = first_ + Chunk::blocks_of_page();
};

TEST_F(ChunkOnPages, FreeMemoryGoesBackAndIsZeroAgain) {
  EXPECT_EQ(*chunk_->block_start(first_), std::byte{0});
  EXPECT_EQ(*chunk_->block_start(last_), std::byte{1}) << "in use";
  EXPECT_TRUE(chunk_->take_block(first_, block_of_slots(16), KindNumber::data));
}

// The block is written to before, so its huge page, if it was one, comes back in small pages.
TEST_F(ChunkOnPages, BlocksThatWereGivenBackArePopulatedAtOnce) {
#ifndef MADV_POPULATE_WRITE
  GTEST_SKIP() << "the system cannot populate";
#endif
  const std::size_t bytes = (last_ - first_) * kBlockBytes;
  std::vector<unsigned char> pages(bytes / base::page_bytes());
  const auto resident = [&] {
    EXPECT_EQ(mincore(chunk_->block_start(first_), bytes, pages.data()), 0);
    return std::count(pages.begin(), pages.end(), 1);
  };
  ASSERT_EQ(resident(), 0);
  for (std::size_t block = first_; block < last_; ++block)
    chunk_->take_block(block, block_of_slots(16), KindNumber::data);
  chunk_->populate(chunk_->block_start(first_), bytes);
  EXPECT_EQ(resident(), std::ssize(pages));
}

TEST(Chunk, FindsRunsOfFreeSlots) {
  const OwnedChunk chunk = make_chunk();
  const BlockInfo info = block_of_slots(48);
  const std::size_t block = kFirstBlock;
  chunk->take_block(block, info, KindNumber::words);
  const auto equals = [](GranuleRange range, std::uint32_t first, std::uint32_t end) {
    return range.first == first && range.end == end;
  };
  const std::uint32_t end = info.slots() * 3;
  EXPECT_TRUE(equals(chunk->find_free_slots(block, 0), 0, end));
  chunk->set_allocated(block, {30, 75}, true);
  EXPECT_TRUE(equals(chunk->find_free_slots(block, 0), 0, 30));
  EXPECT_TRUE(equals(chunk->find_free_slots(block, 30), 75, end));
  EXPECT_TRUE(chunk->is_allocated(granule(*chunk, 72)));
  EXPECT_FALSE(chunk->is_allocated(granule(*chunk, 73))) << "no slot starts there";
  Chunk::set_free(chunk->block_start(block) + 63 * kGranuleBytes,
                  chunk->block_start(block) + 66 * kGranuleBytes);
  EXPECT_TRUE(equals(chunk->find_free_slots(block, 30), 63, 66));
  chunk->set_allocated(block, {0, end}, false);
  EXPECT_EQ(chunk->find_free_slots(block, 64).end, chunk->find_free_slots(block, 64).first) << "none";
}

TEST(Chunk, TakesARunThatEndsInTheWordWhereItsSearchBegins) {
  const OwnedChunk chunk = make_chunk();
  const BlockInfo info = block_of_slots(48);
  const std::size_t block = kFirstBlock;
  chunk->take_block(block, info, KindNumber::words);
  const auto take = [&](std::uint32_t from) {
    const GranuleRange range = chunk->take_short_run(block, info.size_class, from);
    return std::pair(range.first, range.end);
  };
  const std::pair<std::uint32_t, std::uint32_t> none = {0, 0};
  EXPECT_EQ(take(0), none) << "nothing is in use";
  chunk->set_allocated(block, {0, 30}, false);
  chunk->set_allocated(block, {36, 48}, false);
  EXPECT_EQ(take(0), std::pair(30U, 36U));
  EXPECT_TRUE(chunk->is_allocated(granule(*chunk, 30)) && chunk->is_allocated(granule(*chunk, 33)));
  EXPECT_FALSE(chunk->is_allocated(granule(*chunk, 31))) << "no slot starts there";
  EXPECT_EQ(take(36), none) << "the run ends in the next word";
  EXPECT_FALSE(chunk->is_allocated(granule(*chunk, 48)));
  chunk->set_allocated(block, {48, info.slots() * 3}, false);
  EXPECT_EQ(take(36), none) << "nothing is free";
  Chunk::set_free(chunk->block_start(block), chunk->block_start(block) + 3 * kGranuleBytes);
  EXPECT_EQ(take(3), none) << "the only free slot lies before";
}

TEST(Chunk, WhatIsMarkedStaysAllocated) {
  const OwnedChunk chunk = make_chunk();
  const std::size_t block = kFirstBlock;
  const BlockInfo info = block_of_slots(48);
  chunk->take_block(block, info, KindNumber::words);
  const std::uint32_t end = info.slots() * 3;
  chunk->set_allocated(block, {0, end}, false);
  chunk->clear_marks(block);
  for (std::size_t i = 0; i < end; ++i)
    ASSERT_EQ(chunk->is_marked(granule(*chunk, i)), i % 3 != 0)
        << "what is no object counts as marked: " << i;
  for (std::size_t i = 0; i < end; i += 6) EXPECT_TRUE(chunk->mark_exclusively(granule(*chunk, i)));
  EXPECT_EQ(chunk->count_marks(block), (end + 5) / 6);
  chunk->keep_marked(block, false);
  for (std::size_t i = 0; i < kGranulesPerBlock; ++i)
    ASSERT_EQ(chunk->is_allocated(granule(*chunk, i)), i < end && i % 6 == 0) << i;
  EXPECT_FALSE(chunk->is_allocated(granule(*chunk, kGranulesPerBlock))) << "of the next block";
  chunk->release_block(block);
  chunk->forget_slots(block);
  for (std::size_t i = 0; i < kGranulesPerBlock; ++i) ASSERT_FALSE(chunk->is_allocated(granule(*chunk, i)));
}

}  // namespace
}  // namespace jackdaw::heap
