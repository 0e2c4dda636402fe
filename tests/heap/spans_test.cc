// Large objects that share blocks: which do, where they lie, and how their slots are freed and found again.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "base/page_memory.h"
#include "heap/allocator.h"
#include "heap/heap.h"
#include "heap/span_sizes.h"
#include "tests/heap/contents.h"
#include "tests/heap/marks.h"

namespace jackdaw::heap {
namespace {

constexpr std::size_t kSlotBytes = 5 * kQuarterBytes;  // four slots in five blocks
constexpr std::size_t kFewObjects = 8;

std::byte* start_of(Object* object) { return reinterpret_cast<std::byte*>(object); }
bool shares_blocks(const Object* object) {
  const Chunk& chunk = *Chunk::of(object);
  return chunk.block(chunk.block_index(reinterpret_cast<const std::byte*>(object))).use == BlockUse::span;
}

class SpansTest : public testing::Test {
 protected:
  std::vector<Object*> allocate(std::size_t count, std::size_t bytes = kSlotBytes,
                                KindNumber kind = KindNumber::words) {
    std::vector<Object*> objects;
    for (std::size_t i = 0; i < count; ++i) {
      objects.push_back(heap_.allocate_large(bytes, kind));
      EXPECT_NE(objects.back(), nullptr);
    }
    return objects;
  }
  // Makes the size worth a span, without any object left.
  void make_frequent(std::size_t bytes = kSlotBytes, KindNumber kind = KindNumber::words) {
    for (Object* const object : allocate(kFewObjects, bytes, kind)) heap_.free_large(object);
  }

  Heap heap_;
};

TEST_F(SpansTest, OnlyFrequentSizesShareBlocks) {
  for (Object* const object : allocate(kFewObjects)) EXPECT_FALSE(shares_blocks(object));
  EXPECT_TRUE(shares_blocks(allocate(1).front()));
  for (int sweep = 0; sweep < 4; ++sweep) keep_nothing(heap_);
  EXPECT_FALSE(shares_blocks(allocate(1).front())) << "it is seldom by now";
}

TEST_F(SpansTest, AFrequentSizeOfOneKindIsSeldomInAnother) {
  make_frequent();
  EXPECT_FALSE(shares_blocks(allocate(1, kSlotBytes, KindNumber::data).front()));
}

TEST_F(SpansTest, SlotsOfASpanLieSideBySide) {
  for (std::uint32_t quarters = 3; quarters <= SpanSizes::kMostQuarters; ++quarters) {
    const std::size_t bytes = quarters * kQuarterBytes - 1;
    EXPECT_EQ(SpanSizes::suit(bytes), quarters % kQuartersPerBlock != 0);
    if (!SpanSizes::suit(bytes)) continue;
    make_frequent(bytes, KindNumber::data);
    const std::uint64_t used = heap_.usage().used;
    const std::vector<Object*> objects = allocate(SpanSizes::slots(quarters), bytes, KindNumber::data);
    EXPECT_EQ(heap_.usage().used - used, objects.size() * quarters * kQuarterBytes) << "nothing is wasted";
    for (std::size_t i = 0; i < objects.size(); ++i) {
      EXPECT_EQ(start_of(objects[i]), start_of(objects[0]) + i * quarters * kQuarterBytes);
      EXPECT_EQ(Heap::bytes_of(objects[i]), quarters * kQuarterBytes);
      for (std::size_t offset = 0; offset < quarters * kQuarterBytes; offset += 1000)
        EXPECT_EQ(heap_.object_at(start_of(objects[i]) + offset), objects[i]) << quarters << ", " << offset;
    }
    keep_nothing(heap_);
    EXPECT_EQ(heap_.usage().used, 0U);
  }
}

TEST_F(SpansTest, OtherKindsHaveBlocksOfTheirOwn) {
  const KindNumber kept = *heap_.add_kind({.contents = Contents::words, .is_collectable = false});
  make_frequent();
  EXPECT_FALSE(shares_blocks(allocate(1, kSlotBytes, KindNumber::references).front()));
  Object* const uncollectable = allocate(1, kSlotBytes, kept).front();
  EXPECT_FALSE(shares_blocks(uncollectable));
  EXPECT_FALSE(
      shares_blocks(heap_.allocate_large(kSlotBytes, KindNumber::words, LargeAddresses::near_start)));
  EXPECT_FALSE(shares_blocks(allocate(1, 4 * kQuarterBytes).front()));
}

TEST_F(SpansTest, DeadSlotsComeAgainClearedBeforeNewBlocksDo) {
  make_frequent();
  const std::vector<Object*> objects = allocate(40);
  std::vector<Object*> kept;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    ASSERT_TRUE(shares_blocks(objects[i]));
    fill_contents(objects[i], kSlotBytes, i);
    if (i % 2 == 0) kept.push_back(objects[i]);
  }
  const SweepResult swept = keep_only(heap_, kept);
  EXPECT_EQ(swept.live_objects, kept.size());
  EXPECT_EQ(swept.live_bytes, kept.size() * kSlotBytes);
  for (std::size_t i = 0; i < objects.size(); ++i)
    EXPECT_EQ(heap_.object_at(objects[i]), i % 2 == 0 ? objects[i] : nullptr);
  const std::uint64_t used = heap_.usage().used;
  std::set<Object*> found(kept.begin(), kept.end());
  for (Object* const object : allocate(kept.size())) {
    EXPECT_TRUE(is_cleared(object, kSlotBytes));
    found.insert(object);
  }
  EXPECT_EQ(found.size(), objects.size());
  EXPECT_EQ(heap_.usage().used, used);
  for (std::size_t i = 0; i < objects.size(); i += 2) EXPECT_TRUE(has_contents(objects[i], kSlotBytes, i));
}

TEST_F(SpansTest, ASpanFreedByHandGivesItsBlocksBack) {
  make_frequent();
  const std::vector<Object*> objects = allocate(4);
  heap_.free_large(objects[1]);
  EXPECT_EQ(heap_.object_at(objects[1]), nullptr);
  EXPECT_EQ(allocate(1).front(), objects[1]);
  for (Object* const object : objects) heap_.free_large(object);
  EXPECT_EQ(heap_.usage().used, 0U);
  EXPECT_EQ(heap_.allocated_bytes(), 0U);
}

TEST_F(SpansTest, ASlotFreedDuringAMarkingWaitsForTheSweep) {
  make_frequent();
  const std::vector<Object*> objects = allocate(4);
  heap_.begin_marking();
  for (std::size_t chunk = 0; heap_.clear_marks_while_allocating(chunk); ++chunk) continue;
  heap_.free_large(objects[1]);
  Object* const young = allocate(1).front();
  EXPECT_NE(young, objects[1]) << "a marker may read it";
  EXPECT_TRUE(Chunk::of(young)->is_marked(young));
  EXPECT_TRUE(heap_.is_block_new(young));
  Chunk::of(objects[0])->mark_exclusively(objects[0]);
  heap_.end_marking();
  heap_.start_sweep(OwnedBlocks::left);
  EXPECT_EQ(heap_.object_at(objects[2]), nullptr) << "dead, and not swept yet";
  heap_.free_large(objects[0]);
  heap_.finish_sweep();
  EXPECT_EQ(heap_.swept().live_objects, 1U);
  EXPECT_EQ(heap_.object_at(young), young);
}

TEST_F(SpansTest, SlotsFreedDuringAMarkingThatIsGivenUpAreFree) {
  make_frequent();
  std::vector<Object*> objects = allocate(4);
  heap_.begin_marking();
  heap_.free_large(objects[1]);
  heap_.free_large(objects[2]);
  heap_.give_up_marking();
  EXPECT_EQ(allocate(2), (std::vector{objects[1], objects[2]}));
  heap_.begin_marking();
  for (Object* const object : objects) heap_.free_large(object);
  heap_.give_up_marking();
  EXPECT_EQ(heap_.usage().used, 0U);
}

TEST_F(SpansTest, MarkedObjectsBetweenAddressesOfABlockAreFound) {
  make_frequent();
  const std::vector<Object*> objects = allocate(4);
  heap_.clear_marks();
  for (const std::size_t i : {0U, 1U, 3U}) Chunk::of(objects[i])->mark_exclusively(objects[i]);
  const auto start = reinterpret_cast<std::uintptr_t>(objects[0]);
  const auto found = [&](std::size_t block) {
    std::vector<Object*> seen;
    heap_.for_each_marked_between(start + block * kBlockBytes, start + (block + 1) * kBlockBytes,
                                  [&](Object* object) { seen.push_back(object); });
    return seen;
  };
  EXPECT_EQ(found(0), std::vector{objects[0]});
  EXPECT_EQ(found(1), (std::vector{objects[0], objects[1]}));
  EXPECT_EQ(found(2), std::vector{objects[1]});
  EXPECT_EQ(found(3), std::vector{objects[3]});
}

TEST_F(SpansTest, PagesOfFreeSlotsGoBackOnce) {
  make_frequent();
  const std::vector<Object*> objects = allocate(8);
  for (std::size_t i = 0; i < objects.size(); ++i) fill_contents(objects[i], kSlotBytes, i);
  keep_only(heap_, std::vector{objects[0], objects[5]});
  const bool has_slots_of_pages = base::page_bytes() <= kQuarterBytes;
  EXPECT_EQ(heap_.release_free_pages(), has_slots_of_pages ? 6 * kSlotBytes : 0);
  EXPECT_EQ(heap_.release_free_pages(), 0U);
  for (Object* const object : allocate(6)) EXPECT_TRUE(is_cleared(object, kSlotBytes));
  EXPECT_TRUE(has_contents(objects[0], kSlotBytes, 0));
  EXPECT_TRUE(has_contents(objects[5], kSlotBytes, 5));
}

TEST_F(SpansTest, AnObjectKeepsItsSlotWhileItNeedsHalfOfIt) {
  make_frequent();
  Object* const object = allocate(1).front();
  EXPECT_TRUE(heap_.resize_large(object, kSlotBytes / 2));
  EXPECT_TRUE(heap_.resize_large(object, kSlotBytes));
  EXPECT_FALSE(heap_.resize_large(object, kSlotBytes / 2 - 1));
  EXPECT_FALSE(heap_.resize_large(object, kSlotBytes + 1));
}

TEST_F(SpansTest, AResizedObjectKeepsAllBytesOfItsSlot) {
  make_frequent();
  Object* const object = allocate(1).front();
  fill_contents(object, kSlotBytes, 7);
  EXPECT_TRUE(heap_.resize_large(object, kSlotBytes / 2));
  EXPECT_EQ(Heap::bytes_of(object), kSlotBytes);
  EXPECT_TRUE(heap_.resize_large(object, kSlotBytes));
  EXPECT_TRUE(has_contents(object, kSlotBytes, 7));
}

TEST_F(SpansTest, SlotsAreTakenAndFreedInTheMidstOfASweep) {
  make_frequent();
  const std::vector<Object*> objects = allocate(3 * kUsableBlocks);  // in four chunks
  std::vector<Object*> kept;
  heap_.clear_marks();
  for (std::size_t i = 0; i < objects.size(); i += 2) {
    fill_contents(objects[i], kSlotBytes, i);
    kept.push_back(objects[i]);
    Chunk::of(objects[i])->mark_exclusively(objects[i]);
  }
  ASSERT_NE(Chunk::of(kept.back()), Chunk::of(kept.front()));
  heap_.start_sweep(OwnedBlocks::left);
  const std::vector<Object*> young = allocate(2);
  EXPECT_EQ(Chunk::of(young[0]), Chunk::of(kept.front())) << "the sweep has come to that alone";
  EXPECT_EQ(heap_.object_at(young[0]), young[0]);
  heap_.free_large(young[0]);
  EXPECT_EQ(heap_.object_at(young[0]), nullptr);
  EXPECT_EQ(heap_.object_at(objects[objects.size() - 2]), nullptr) << "dead, and not swept yet";
  Object* const freed = kept.back();
  kept.pop_back();
  ASSERT_TRUE(shares_blocks(freed));
  heap_.free_large(freed);
  EXPECT_EQ(heap_.object_at(freed), nullptr);
  heap_.finish_sweep();
  EXPECT_EQ(heap_.swept().live_objects, kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) ASSERT_TRUE(has_contents(kept[i], kSlotBytes, 2 * i));
  const std::uint64_t used = heap_.usage().used;
  allocate(kept.size() - 8);  // few objects have blocks of their own
  EXPECT_EQ(heap_.usage().used, used) << "all of them in free slots";
}

TEST_F(SpansTest, ABudgetCountsSlots) {
  make_frequent();
  allocate(1);
  heap_.budget().set(heap_.allocated_bytes() + 2 * kSlotBytes);
  allocate(2);
  EXPECT_EQ(heap_.allocate_large(kSlotBytes, KindNumber::words), nullptr);
}

// Objects of one size until there is no memory.
std::vector<Object*> fill(Heap& heap, std::size_t bytes) {
  std::vector<Object*> objects;
  while (Object* const object = heap.allocate_large(bytes, KindNumber::words)) objects.push_back(object);
  return objects;
}

TEST(SpansLimit, HalfOfALimitIsLeftToOtherSizes) {
  constexpr std::size_t kLimit = 4 * kChunkBytes;
  Heap heap(kLimit);
  std::vector<Object*> kept;
  std::size_t in_spans = 0;
  for (Object* const object : fill(heap, kSlotBytes)) {
    if (!shares_blocks(object) || in_spans++ % SpanSizes::kMostSlots == 0) kept.push_back(object);
  }
  EXPECT_LE(in_spans * kSlotBytes, kLimit / 2);
  EXPECT_GT(in_spans * kSlotBytes, kLimit / 2 - kLimit / 16);
  std::erase_if(kept,
                [i = 0](const Object* object) mutable { return !shares_blocks(object) && i++ % 4 != 0; });
  keep_only(heap, kept);
  EXPECT_GT(fill(heap, 9 * kQuarterBytes).size() * 9 * kQuarterBytes, kLimit / 4)
      << "as much as before there were spans, of half of the limit";
}

TEST(SpansLimit, LongerSlotsAreTakenBeforeNone) {
  Heap heap(4 * kChunkBytes);
  std::vector<Object*> objects = fill(heap, kSlotBytes);
  std::erase_if(objects, [](const Object* object) { return !shares_blocks(object); });
  std::vector<Object*> free_slots;
  for (std::size_t i = 0; i < objects.size(); i += 2) {
    fill_contents(objects[i], kSlotBytes, i);
    heap.free_large(objects[i]);
    free_slots.push_back(objects[i]);
  }
  const std::uint64_t used = heap.usage().used;
  const std::vector<Object*> shorter = fill(heap, 3 * kQuarterBytes);
  EXPECT_EQ(std::set<Object*>(shorter.begin(), shorter.end()),
            std::set<Object*>(free_slots.begin(), free_slots.end()));
  for (Object* const object : shorter) ASSERT_TRUE(is_cleared(object, kSlotBytes));
  EXPECT_EQ(heap.usage().used, used);
}

// GC_memalign takes it for granted that slots of 6 quarters are aligned to two.
TEST(SpansLimit, SlotsTakenBeforeNoneAreAsAligned) {
  Heap heap(4 * kChunkBytes);
  for (const std::size_t quarters : {7U, 10U}) {
    const std::vector<Object*> objects = fill(heap, quarters * kQuarterBytes);
    for (std::size_t i = 0; i < objects.size(); i += 3) {
      if (shares_blocks(objects[i])) heap.free_large(objects[i]);
    }
    const std::vector<Object*> shorter = fill(heap, 6 * kQuarterBytes);
    for (const Object* const object : shorter)
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(object) % (2 * kQuarterBytes), 0U) << quarters;
    keep_nothing(heap);
  }
}

// A collection is to find what the budget refuses.
TEST_F(SpansTest, LongerSlotsAreNotTakenForWantOfBudget) {
  constexpr std::size_t kLongBytes = 15 * kQuarterBytes;
  make_frequent(kLongBytes);
  const std::vector<Object*> objects = allocate(40, kLongBytes);
  std::set<Object*> free_slots;
  for (std::size_t i = 0; i < objects.size(); i += 2) {
    heap_.free_large(objects[i]);
    free_slots.insert(objects[i]);
  }
  heap_.budget().set(std::uint64_t{1} << 30, 0, 0);
  while (Object* const object = heap_.allocate_large(3 * kQuarterBytes, KindNumber::words))
    ASSERT_FALSE(free_slots.contains(object));
}

}  // namespace
}  // namespace jackdaw::heap
