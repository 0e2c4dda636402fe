// Memory that a heap gives back step by step: which comes first, and what is kept.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "heap/allocator.h"
#include "heap/heap.h"
#include "tests/heap/contents.h"
#include "tests/heap/mapping_flags.h"
#include "tests/heap/marks.h"

namespace jackdaw::heap {
namespace {

constexpr std::size_t kBlocksOfObject = 63;
constexpr std::size_t kObjectBytes = kBlocksOfObject * kBlockBytes;
constexpr std::size_t kObjectsOfChunk = kUsableBlocks / kBlocksOfObject;
constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

class GiveBack : public testing::Test {
 protected:
  // Fills chunks with written objects, `kObjectsOfChunk` each.
  void fill(std::size_t chunks) {
    for (std::size_t i = 0; i < chunks * kObjectsOfChunk; ++i) {
      objects_.push_back(heap_.allocate_large(kObjectBytes, KindNumber::data));
      ASSERT_NE(objects_.back(), nullptr);
      fill_contents(objects_.back(), kObjectBytes, i);
    }
    ASSERT_EQ(heap_.chunk_bytes(), chunks * kChunkBytes);
  }
  void free_object(std::size_t index) {
    heap_.free_large(objects_[index]);
    objects_[index] = nullptr;
  }
  void free_chunk(std::size_t chunk) {
    for (std::size_t i = 0; i < kObjectsOfChunk; ++i) free_object(chunk * kObjectsOfChunk + i);
  }
  std::uint64_t give_all_back(std::uint64_t keep_bytes = 0) {
    std::uint64_t all = 0;
    while (const std::uint64_t bytes = heap_.give_back_some(keep_bytes)) all += bytes;
    return all;
  }
  void expect_contents() {
    for (std::size_t i = 0; i < objects_.size(); ++i)
      EXPECT_TRUE(objects_[i] == nullptr || has_contents(objects_[i], kObjectBytes, i)) << i;
  }

  Heap heap_;
  std::vector<Object*> objects_;
};

TEST_F(GiveBack, AStepIsAtMostAHugePage) {
  fill(1);
  EXPECT_EQ(heap_.give_back_some(0), 0U) << "nothing is free";
  free_chunk(0);
  std::uint64_t left = heap_.usage().free;
  while (left >= HugePages::kBytes) {
    const std::uint64_t bytes = heap_.give_back_some(0);
    ASSERT_GT(bytes, 0U);
    EXPECT_LE(bytes, HugePages::kBytes);
    left -= bytes;
    EXPECT_EQ(heap_.usage().free, left);
  }
}

TEST_F(GiveBack, KeepsWhatItIsTold) {
  fill(2);
  free_chunk(1);
  const std::uint64_t keep = heap_.usage().used + heap_.usage().free / 2;
  give_all_back(keep);
  EXPECT_GE(heap_.bytes(), keep);
  EXPECT_LT(heap_.bytes(), keep + HugePages::kBytes);
  EXPECT_EQ(heap_.give_back_some(kAll - HugePages::kBytes), 0U);
  expect_contents();
}

TEST_F(GiveBack, KeepsTheSizeThatTheHeapWasExpandedTo) {
  fill(2);
  ASSERT_TRUE(heap_.expand_to(2 * kUsableBlocks * kBlockBytes));
  free_chunk(1);
  EXPECT_EQ(give_all_back(), 0U);
  EXPECT_EQ(heap_.chunk_bytes(), 2 * kChunkBytes);
}

TEST_F(GiveBack, EmptyChunksComeFirstAndGoAltogether) {
  fill(3);
  const Chunk* const last = Chunk::of(objects_.back());
  free_object(objects_.size() - 1);
  free_chunk(1);
  for (std::size_t given = 0; given + HugePages::kBytes <= kObjectsOfChunk * kObjectBytes;)
    given += heap_.give_back_some(0);
  EXPECT_EQ(last->written_free_blocks(), kBlocksOfObject);
  give_all_back();
  EXPECT_EQ(heap_.chunk_bytes(), 2 * kChunkBytes);
  EXPECT_LT(heap_.usage().free, HugePages::kBytes);
  expect_contents();
}

// Allocation takes the first free block, so the last ones are missed last. The first and the last of an
// object may share a page with others.
TEST_F(GiveBack, TheLastBlocksOfTheLastChunkComeFirst) {
  fill(2);
  const std::array<std::size_t, 4> freed{0, 5, kObjectsOfChunk, 2 * kObjectsOfChunk - 1};
  const std::size_t shared = Chunk::blocks_of_page() - 1;
  std::array<Chunk*, 4> chunks{};
  std::array<std::size_t, 4> blocks{};
  for (std::size_t i = 0; i < freed.size(); ++i) {
    chunks[i] = Chunk::of(objects_[freed[i]]);
    blocks[i] = chunks[i]->block_index(reinterpret_cast<std::byte*>(objects_[freed[i]]));
    free_object(freed[i]);
  }
  for (std::size_t i = freed.size(); i-- != 1;) {
    while (!chunks[i]->is_given_back(blocks[i] + shared)) ASSERT_GT(heap_.give_back_some(0), 0U);
    EXPECT_FALSE(chunks[i - 1]->is_given_back(blocks[i - 1] + kBlocksOfObject - 1 - shared)) << i;
  }
  expect_contents();
}

TEST_F(GiveBack, NoChunkGoesDuringAMarking) {
  fill(2);
  free_chunk(1);
  heap_.begin_marking();
  EXPECT_GT(give_all_back(), 0U) << "but memory does";
  EXPECT_EQ(heap_.chunk_bytes(), 2 * kChunkBytes);
  heap_.end_marking();
  give_all_back();
  EXPECT_EQ(heap_.chunk_bytes(), kChunkBytes);
}

// The system would put a huge page in place of one that lost a part, and all its memory would be back.
TEST_F(GiveBack, APartOfAHugePageStaysAway) {
  fill(2);
  Object* const kept = objects_[kObjectsOfChunk + 4];
  if (mapping_flags(kept).empty()) GTEST_SKIP() << "the system does not tell";
  free_object(kObjectsOfChunk + 3);
  free_object(kObjectsOfChunk + 5);
  free_object(kObjectsOfChunk + 6);
  give_all_back();
  EXPECT_NE(mapping_flags(kept).find(" nh "), std::string::npos) << mapping_flags(kept);
  expect_contents();
}

}  // namespace
}  // namespace jackdaw::heap
