// The heap's parts notice misuse, where they are built with JACKDAW_CHECK.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/page_vector.h"
#include "heap/allocator.h"
#include "heap/chunk.h"
#include "heap/heap.h"
#include "heap/heap_usage.h"
#include "heap/size_classes.h"
#include "tests/checks.h"

namespace jackdaw::heap {
namespace {

class HeapChecks : public testing::Test {
 protected:
  void SetUp() override {
    if (!testing_checks::kAreOn) GTEST_SKIP() << "built without checks";
  }

  Object* make(std::size_t bytes) { return allocator_.allocate_plain(bytes, KindNumber::words); }

  Heap heap_;
  Allocator allocator_{heap_};
};

TEST_F(HeapChecks, SizesHaveClassesUpToALimit) {
  EXPECT_CHECK_TO_FAIL(SizeClasses::class_of(kLargestSmallBytes + 1), "bytes <= kLargest");
}

TEST_F(HeapChecks, NoByteCountIsNegative) {
  ByteCount count;
  count.add(16);
  EXPECT_CHECK_TO_FAIL(count.subtract(32), "bytes <= \\*this");
}

TEST_F(HeapChecks, ListsKeepTheirBounds) {
  base::PageVector<int> list;
  ASSERT_TRUE(list.append(1));
  EXPECT_CHECK_TO_FAIL(static_cast<void>(list[1]), "index < size_");
}

TEST_F(HeapChecks, MarksAreForPlacesOfObjects) {
  auto* const object = reinterpret_cast<std::byte*>(make(64));
  ASSERT_NE(object, nullptr);
  Chunk& chunk = *Chunk::of(object);
  EXPECT_CHECK_TO_FAIL(chunk.mark_exclusively(object + 8), "may_start_at\\(object\\)");
  EXPECT_CHECK_TO_FAIL(chunk.mark_shared(&chunk), "may_start_at\\(object\\)");
  EXPECT_CHECK_TO_FAIL(chunk.mark_shared(chunk.block_start(kBlocksPerChunk - 1)), "may_start_at\\(object\\)");
}

TEST_F(HeapChecks, BlocksAreTakenAndReleasedInTurn) {
  auto* const object = reinterpret_cast<std::byte*>(make(64));
  Chunk& chunk = *Chunk::of(object);
  const std::size_t block = chunk.block_index(object);
  EXPECT_CHECK_TO_FAIL(chunk.take_block(block, chunk.block(block), KindNumber::words), ".*free_\\.test");
  EXPECT_CHECK_TO_FAIL(chunk.release_block(kBlocksPerChunk - 1), ".*!free_\\.test");
}

TEST_F(HeapChecks, LargeObjectsAreFreedOnce) {
  Object* const object = make(5 * kBlockBytes);
  ASSERT_NE(object, nullptr);
  heap_.free_large(object);
  EXPECT_CHECK_TO_FAIL(heap_.free_large(object), "info.use == BlockUse::large_head");
}

TEST_F(HeapChecks, SlotsOfSpansAreFreedOnce) {
  std::vector<Object*> objects;
  for (int i = 0; i < 12; ++i) objects.push_back(make(20'000));
  heap_.free_large(objects.back());
  EXPECT_CHECK_TO_FAIL(heap_.free_large(objects.back()), "chunk.is_allocated\\(start\\)");
}

TEST_F(HeapChecks, SweepsFollowEachOther) {
  heap_.clear_marks();
  ASSERT_NE(make(64), nullptr);
  heap_.start_sweep(OwnedBlocks::taken_back);
  EXPECT_CHECK_TO_FAIL(heap_.start_sweep(OwnedBlocks::taken_back), "!is_sweeping\\(\\)");
  heap_.finish_sweep();
}

TEST_F(HeapChecks, AllocatorsGoBeforeTheirHeap) {
  const auto outlive = [] {
    std::optional<Heap> heap(std::in_place);
    const Allocator allocator(*heap);
    heap.reset();
  };
  EXPECT_CHECK_TO_FAIL(outlive(), "allocators_\\.empty\\(\\)");
}

}  // namespace
}  // namespace jackdaw::heap
