// Heap::object_at: from any address to the object that it points into, or to nothing.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "heap/allocator.h"
#include "heap/heap.h"
#include "mark/random_numbers.h"
#include "tests/heap/contents.h"
#include "tests/heap/marks.h"

namespace jackdaw::heap {
namespace {

class ObjectAtTest : public testing::Test {
 protected:
  static std::byte* start_of(Object* object) { return reinterpret_cast<std::byte*>(object); }

  Heap heap_;
  Allocator allocator_{heap_};
  const TypeDescriptor data_ = TypeDescriptor::none(0);
  const TypeDescriptor links_ = TypeDescriptor::all_words(48);
};

TEST_F(ObjectAtTest, EveryByteOfASmallObjectLeadsToIt) {
  for (std::uint8_t size_class = 0; size_class < SizeClasses::kCount; ++size_class) {
    const std::size_t bytes = SizeClasses::slot_bytes(size_class);
    Object* const first = allocator_.allocate(data_, bytes);
    Object* const second = allocator_.allocate(data_, bytes);
    for (std::size_t offset = 0; offset < bytes; ++offset) {
      ASSERT_EQ(heap_.object_at(start_of(first) + offset), first) << bytes << " bytes, byte " << offset;
    }
    ASSERT_EQ(heap_.object_at(start_of(second) + bytes - 1), second);
    // One past the end is the neighbour's first byte, if there is a neighbour.
    ASSERT_EQ(heap_.object_at(start_of(first) + bytes),
              start_of(first) + bytes == start_of(second) ? second : nullptr);
  }
}

TEST_F(ObjectAtTest, LargeObjectsEndWithTheirLastByte) {
  for (const std::size_t bytes : {kLargestSmallBytes + 8, kBlockBytes, kBlockBytes + 8, 5 * kBlockBytes - 1,
                                  kUsableBlocks * kBlockBytes - 24, kUsableBlocks * kBlockBytes}) {
    Object* const object = allocator_.allocate(data_, bytes);
    ASSERT_NE(object, nullptr);
    for (std::size_t offset = 0; offset < bytes; offset += 509) {
      ASSERT_EQ(heap_.object_at(start_of(object) + offset), object) << bytes << " bytes, byte " << offset;
    }
    EXPECT_EQ(heap_.object_at(start_of(object) + bytes - 1), object);
    EXPECT_EQ(heap_.object_at(start_of(object) + bytes), nullptr) << bytes;
  }
}

TEST_F(ObjectAtTest, OversizedObjectsAreFoundInAllTheirPieces) {
  constexpr std::size_t kBytes = 4 * kChunkBytes + 1000;
  Object* const object = allocator_.allocate(data_, kBytes);
  ASSERT_NE(object, nullptr);
  // A step that visits every block's first and last bytes in turn.
  for (std::size_t offset = 0; offset < kBytes; offset += kBlockBytes - 1) {
    ASSERT_EQ(heap_.object_at(start_of(object) + offset), object) << offset;
  }
  EXPECT_EQ(heap_.object_at(start_of(object) + kBytes - 1), object);
  EXPECT_EQ(heap_.object_at(start_of(object) + kBytes), nullptr);
  EXPECT_EQ(heap_.object_at(start_of(object) - 1), nullptr);
}

TEST_F(ObjectAtTest, AChunksHeaderAndFreeBlocksHoldNoObject) {
  Object* const object = allocator_.allocate(data_, 8192);
  Chunk* const chunk = Chunk::of(object);
  for (std::size_t offset = 0; offset < kFirstBlock * kBlockBytes; offset += 1001) {
    EXPECT_EQ(heap_.object_at(reinterpret_cast<std::byte*>(chunk) + offset), nullptr);
  }
  for (std::size_t block = kFirstBlock + 1; block < kBlocksPerChunk; ++block) {
    EXPECT_EQ(heap_.object_at(chunk->block_start(block)), nullptr);
    EXPECT_EQ(heap_.object_at(chunk->block_start(block) + kBlockBytes - 1), nullptr);
  }
}

TEST_F(ObjectAtTest, SlotsThatWereNotAllocatedHoldNoObject) {
  const std::size_t slots = kBlockBytes / 48;
  Object* const first = allocator_.allocate(links_);
  for (std::size_t slot = 1; slot < slots; ++slot) {
    ASSERT_EQ(heap_.object_at(start_of(first) + slot * 48), nullptr);
    ASSERT_EQ(heap_.object_at(start_of(first) + slot * 48 + 47), nullptr);
  }
  // 16384 = 341 × 48 + 16: what is left at the block's end belongs to no slot.
  EXPECT_EQ(heap_.object_at(start_of(first) + slots * 48), nullptr);
  EXPECT_EQ(heap_.object_at(start_of(first) + kBlockBytes - 1), nullptr);
}

// The memory of what was freed is given to another class of objects: addresses must lead to those, not to
// what was there before.
TEST_F(ObjectAtTest, ForgetsFreedObjects) {
  Object* const small = allocator_.allocate(data_, 64);
  Object* const large = allocator_.allocate(data_, 3 * kBlockBytes);
  Object* const oversized = allocator_.allocate(data_, 2 * kChunkBytes);
  fill_contents(small, 64, 1);
  fill_contents(large, 3 * kBlockBytes, 2);
  std::byte* const past = start_of(oversized) + kChunkBytes;
  keep_nothing(heap_);
  EXPECT_EQ(heap_.object_at(small), nullptr);
  EXPECT_EQ(heap_.object_at(large), nullptr);
  EXPECT_EQ(heap_.object_at(start_of(large) + 2 * kBlockBytes), nullptr);
  EXPECT_EQ(heap_.object_at(oversized), nullptr);
  EXPECT_EQ(heap_.object_at(past), nullptr);
  // The blocks are reused for smaller slots; only what is allocated there is an object.
  Object* const reused = allocator_.allocate(links_);
  EXPECT_EQ(heap_.object_at(reused), reused);
  EXPECT_EQ(heap_.object_at(start_of(reused) + 48), nullptr);
}

TEST_F(ObjectAtTest, AddressesOutsideTheHeapHoldNoObject) {
  ASSERT_NE(allocator_.allocate(data_, 48), nullptr);
  const int on_stack = 0;
  static int in_program = 0;
  EXPECT_EQ(heap_.object_at(nullptr), nullptr);
  EXPECT_EQ(heap_.object_at(&on_stack), nullptr);
  EXPECT_EQ(heap_.object_at(&in_program), nullptr);
  EXPECT_EQ(heap_.object_at(&data_), nullptr);
  EXPECT_EQ(heap_.object_at(reinterpret_cast<const void*>(~std::uintptr_t{0})), nullptr);
  EXPECT_EQ(heap_.object_at(reinterpret_cast<const void*>(std::uintptr_t{0xffff'8000'0000'0000})), nullptr);
}

TEST_F(ObjectAtTest, RandomAddressesNeverFault) {
  Object* const object = allocator_.allocate(links_);
  mark::RandomNumbers random(7);
  const auto around = reinterpret_cast<std::uintptr_t>(object);
  for (int i = 0; i < 200'000; ++i) {
    const std::uintptr_t address = i % 2 == 0 ? random.next() : around + random.below(1U << 24) - (1U << 23);
    Object* const found = heap_.object_at(reinterpret_cast<const void*>(address));  // NOLINT
    ASSERT_EQ(found, address - around < 48 ? object : nullptr);
  }
}

}  // namespace
}  // namespace jackdaw::heap
