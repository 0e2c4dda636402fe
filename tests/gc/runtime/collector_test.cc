// Collector: what keeps objects alive and what does not, one thread, collections on demand.
#include "gc/runtime/collector.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "gc/runtime/mutator.h"
#include "tests/gc/runtime/program.h"
#include "tests/gc/runtime/random_heap.h"
#include "tests/scaled.h"

namespace jackdaw::gc {
namespace {

using heap::Object;
using heap::TypeDescriptor;

class CollectorTest : public testing::Test {
 protected:
  Object* make_record(std::uint64_t number) {
    Object* const record = mutator_.allocate(Record::type());
    EXPECT_NE(record, nullptr);
    Record::number(record) = number;
    return record;
  }
  std::uint64_t live() { return mutator_.collect().live_objects; }

  Collector collector_{only_when_asked()};
  Mutator mutator_{collector_};
};

TEST_F(CollectorTest, NothingLivesWithoutRoots) {
  EXPECT_EQ(live(), 0U);
  for (int i = 0; i < 1000; ++i) make_record(1);
  EXPECT_EQ(live(), 0U);
  EXPECT_EQ(collector_.collections(), 2U);
}

TEST_F(CollectorTest, AHandleKeepsItsObjectAndWhatHangsFromIt) {
  Handle root(mutator_, make_record(1));
  Record::next(root.get()) = make_record(2);
  Record::other(Record::next(root.get())) = make_record(3);
  make_record(4);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(live(), 3U);
    make_record(5);  // would take a place that was wrongly freed
    EXPECT_EQ(Record::number(root.get()), 1U);
    EXPECT_EQ(Record::number(Record::next(root.get())), 2U);
    EXPECT_EQ(Record::number(Record::other(Record::next(root.get()))), 3U);
  }
}

TEST_F(CollectorTest, EmptyChunksAreGivenBackOnceTheyWereNotInUseLately) {
  constexpr std::size_t kChunks = 24;
  const heap::Heap& heap = collector_.heap();
  const auto allocate_chunks = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_NE(mutator_.allocate(TypeDescriptor::none(0), heap::kUsableBlocks * heap::kBlockBytes), nullptr);
  };
  allocate_chunks(kChunks);
  for (std::size_t collection = 0; collection < RecentUse::kCollections; ++collection) {
    EXPECT_EQ(live(), 0U);
    EXPECT_EQ(heap.chunk_bytes(), kChunks * heap::kChunkBytes);
    allocate_chunks(kChunks / 4);
  }
  live();
  EXPECT_EQ(heap.chunk_bytes(), kChunks / 4 * heap::kChunkBytes);
  for (std::size_t collection = 0; collection < RecentUse::kCollections; ++collection) live();
  EXPECT_EQ(heap.chunk_bytes(), 0U);
}

TEST_F(CollectorTest, AHandleThatIsReassignedLetsGo) {
  Handle root(mutator_, make_record(1));
  EXPECT_EQ(live(), 1U);
  root = make_record(2);
  EXPECT_EQ(live(), 1U);
  EXPECT_EQ(Record::number(root.get()), 2U);
  root = nullptr;
  EXPECT_EQ(live(), 0U);
  EXPECT_EQ(root.get(), nullptr);
}

TEST_F(CollectorTest, HandlesEndWithTheirScopeAndOverlapAsTheyLike) {
  Handle outer(mutator_, make_record(1));
  {
    Handle inner(mutator_, make_record(2));
    {
      const Handle innermost(mutator_, make_record(3));
      const Handle same(mutator_, innermost.get());
      EXPECT_EQ(live(), 3U);
    }
    EXPECT_EQ(live(), 2U);
    inner = nullptr;
    EXPECT_EQ(live(), 1U);
  }
  // Handles on the free store, destroyed in another order than that of their making.
  auto first = std::make_unique<Handle>(mutator_, make_record(4));
  auto second = std::make_unique<Handle>(mutator_, make_record(5));
  auto third = std::make_unique<Handle>(mutator_, make_record(6));
  EXPECT_EQ(live(), 4U);
  second.reset();
  EXPECT_EQ(live(), 3U);
  first.reset();
  EXPECT_EQ(live(), 2U);
  EXPECT_EQ(Record::number(third->get()), 6U);
  third.reset();
  EXPECT_EQ(live(), 1U);
  EXPECT_EQ(Record::number(outer.get()), 1U);
}

TEST_F(CollectorTest, RegisteredSlotsAreReadAtEveryCollection) {
  std::array<Object*, 3> slots{};
  collector_.add_roots(slots);
  EXPECT_EQ(live(), 0U) << "null slots are no roots";
  slots[1] = make_record(1);
  EXPECT_EQ(live(), 1U);
  slots[2] = make_record(2);
  EXPECT_EQ(live(), 2U);
  slots[1] = slots[2];
  EXPECT_EQ(live(), 1U) << "two slots, one object";
  EXPECT_EQ(Record::number(slots[1]), 2U);
  collector_.remove_roots(slots);
  EXPECT_EQ(live(), 0U);
}

TEST_F(CollectorTest, RemovingRootsUndoesOneRegistrationOfThatSpan) {
  std::array<Object*, 2> slots = {make_record(1), make_record(2)};
  collector_.add_roots(slots);
  collector_.add_roots(slots);
  collector_.add_roots(std::span(slots).first(1));
  collector_.remove_roots(slots);
  EXPECT_EQ(live(), 2U);
  collector_.remove_roots(slots);
  EXPECT_EQ(live(), 1U);
  collector_.remove_roots(slots);  // was not registered any more: changes nothing
  collector_.remove_roots(std::span(slots).last(1));
  EXPECT_EQ(live(), 1U);
  collector_.remove_roots(std::span(slots).first(1));
  EXPECT_EQ(live(), 0U);
}

TEST_F(CollectorTest, CyclesDieWithTheirLastRoot) {
  Handle root(mutator_, make_record(0));
  Object* last = root.get();
  for (std::uint64_t i = 1; i < 1000; ++i) {
    Object* const record = make_record(i);
    Record::next(last) = record;
    Record::other(record) = last;
    last = record;
  }
  Record::next(last) = root.get();
  Object* const alone = make_record(1);
  Record::next(alone) = alone;
  EXPECT_EQ(live(), 1000U);
  root = Record::next(Record::next(root.get()));
  EXPECT_EQ(live(), 1000U);
  root = nullptr;
  EXPECT_EQ(live(), 0U);
}

TEST_F(CollectorTest, AMillionDeepListNeedsNoDeepStack) {
  const std::uint64_t length = mark::scaled(1'000'000);
  Handle list(mutator_);
  for (std::uint64_t i = 0; i < length; ++i) ASSERT_TRUE(prepend(mutator_, list, i));
  EXPECT_EQ(live(), length);
  EXPECT_TRUE(is_list_of(list.get(), 0, length));
  list = nullptr;
  EXPECT_EQ(live(), 0U);
}

TEST_F(CollectorTest, EachLayoutKeepsWhatItRefersToAndNoMore) {
  const TypeDescriptor data = TypeDescriptor::none(64);
  const TypeDescriptor words = TypeDescriptor::all_words(64);
  const TypeDescriptor offsets = TypeDescriptor::offsets(64, {3, 7});
  const auto fill = [&](Object* object) {
    const Handle handle(mutator_, object);
    for (std::size_t word = 1; word < 8; ++word) *object->slot(word) = make_record(word);
  };
  Handle root(mutator_, mutator_.allocate(data));
  fill(root.get());
  EXPECT_EQ(live(), 1U);
  root = mutator_.allocate(words);
  fill(root.get());
  EXPECT_EQ(live(), 8U);
  root = mutator_.allocate(offsets);
  fill(root.get());
  EXPECT_EQ(live(), 3U);
  EXPECT_EQ(Record::number(*root->slot(3)), 3U);
  EXPECT_EQ(Record::number(*root->slot(7)), 7U);
}

TEST_F(CollectorTest, ArraysKeepTheirElements) {
  const TypeDescriptor type = TypeDescriptor::reference_array();
  for (const std::uint64_t length :
       std::initializer_list<std::uint64_t>{0, 1, 511, 512, 513, 1024, 5000, 100'000}) {
    const Handle array(mutator_, mutator_.allocate_array(type, length));
    ASSERT_NE(array.get(), nullptr);
    EXPECT_EQ(array->array_length(), length);
    for (std::uint64_t i = 0; i < length; ++i) *array->element(i) = make_record(i);
    EXPECT_EQ(live(), 1 + length);
    for (std::uint64_t i = 0; i < length; ++i) ASSERT_EQ(Record::number(*array->element(i)), i);
  }
  EXPECT_EQ(live(), 0U);
}

TEST_F(CollectorTest, ObjectsOfEverySizeAreKeptAndFreed) {
  const TypeDescriptor type = TypeDescriptor::reference_array();
  const Handle all(mutator_, mutator_.allocate_array(type, 40));
  std::uint64_t element = 0;
  for (std::uint64_t length = 0; length < 1'000'000; length = 2 * length + 1) {
    Object* const array = mutator_.allocate_array(type, length);
    ASSERT_NE(array, nullptr);
    *all->element(element++) = array;
    if (length > 0) *array->element(length - 1) = array;
  }
  EXPECT_EQ(live(), 1 + element);
  for (std::uint64_t i = 0; i < element; i += 2) *all->element(i) = nullptr;
  EXPECT_EQ(live(), 1 + element / 2);
  for (std::uint64_t i = 1; i < element; i += 2) {
    Object* const array = *all->element(i);
    EXPECT_EQ(*array->element(array->array_length() - 1), array);
  }
}

TEST_F(CollectorTest, ResultsTellWhatWasDone) {
  Handle list(mutator_);
  for (std::uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(prepend(mutator_, list, i));
  const CollectionResult result = mutator_.collect();
  EXPECT_EQ(result.live_objects, 100U);
  EXPECT_EQ(result.live_bytes, 100 * Record::kBytes);
  EXPECT_EQ(result.mark_passes, 1U);
  ASSERT_EQ(result.workers.size(), 1U);
  EXPECT_EQ(result.workers[0].objects_marked, 100U);
  EXPECT_EQ(result.workers[0].references_visited, 99U);
  EXPECT_GE(result.collect_time, result.mark_time);
  EXPECT_GT(result.mark_time.count(), 0);
  EXPECT_GT(collector_.marking_memory_bytes(), collector_.heap().header_bytes());
}

TEST_F(CollectorTest, RootsOfAnEarlierCollectionAreForgotten) {
  {
    const Handle root(mutator_, make_record(1));
    EXPECT_EQ(live(), 1U);
  }
  Handle other(mutator_, make_record(2));
  EXPECT_EQ(live(), 1U);
  EXPECT_EQ(Record::number(other.get()), 2U);
}

TEST(Collector, CollectsWithoutAnyMutator) {
  Collector collector(only_when_asked());
  std::vector<Object*> slots(1);
  collector.add_roots(slots);
  {
    Mutator mutator(collector);
    slots[0] = mutator.allocate(Record::type());
    mutator.allocate(Record::type());
  }
  EXPECT_EQ(collector.collect().live_objects, 1U);
  slots[0] = nullptr;
  EXPECT_EQ(collector.collect().live_objects, 0U);
  EXPECT_EQ(collector.collections(), 2U);
}

TEST(Collector, DoesNotCollectByItselfWhenToldNotTo) {
  Collector collector(only_when_asked());
  Mutator mutator(collector);
  for (int i = 0; i < 1'000'000; ++i) ASSERT_NE(mutator.allocate(Record::type()), nullptr);
  EXPECT_EQ(collector.collections(), 0U);
}

// The program may hold references where no collection sees them: it counts on none coming, also when memory
// ends.
TEST(Collector, DoesNotCollectByItselfAtTheLimitEither) {
  CollectorOptions options = only_when_asked();
  options.heap_limit_bytes = 2 * heap::kChunkBytes;
  Collector collector(options);
  Mutator mutator(collector);
  std::vector<Object*> held;
  while (Object* const record = mutator.allocate(Record::type())) {
    Record::number(record) = held.size();
    held.push_back(record);
    ASSERT_LE(held.size(), options.heap_limit_bytes / Record::kBytes) << "memory was given out twice";
  }
  EXPECT_EQ(mutator.allocate_array(TypeDescriptor::reference_array(), 100'000), nullptr);
  EXPECT_EQ(collector.collections(), 0U);
  for (std::size_t i = 0; i < held.size(); ++i) ASSERT_EQ(Record::number(held[i]), i);
  EXPECT_EQ(mutator.collect().live_objects, 0U);
  EXPECT_NE(mutator.allocate(Record::type()), nullptr);
}

TEST(Collector, CollectsByItselfWhenTheBudgetIsSpent) {
  CollectorOptions options;
  options.minimum_budget_bytes = 1 << 20;
  Collector collector(options);
  Mutator mutator(collector);
  for (std::size_t i = 0; i < (10 << 20) / Record::kBytes; ++i)
    ASSERT_NE(mutator.allocate(Record::type()), nullptr);
  EXPECT_GE(collector.collections(), 8U);
  EXPECT_LE(collector.collections(), 12U);
}

// A budget below a block must not look like an empty memory.
TEST(Collector, WorksWithoutAnyMinimumBudget) {
  CollectorOptions options;
  options.minimum_budget_bytes = 0;
  Collector collector(options);
  Mutator mutator(collector);
  Handle list(mutator);
  const std::uint64_t length = mark::scaled(20'000);
  for (std::uint64_t i = 0; i < length; ++i) ASSERT_TRUE(prepend(mutator, list, i)) << i;
  EXPECT_TRUE(is_list_of(list.get(), 0, length));
  const TypeDescriptor data = TypeDescriptor::none(0);
  EXPECT_NE(mutator.allocate(data, 20'000), nullptr);
  EXPECT_NE(mutator.allocate(data, 5'000'000), nullptr);
}

}  // namespace
}  // namespace jackdaw::gc
