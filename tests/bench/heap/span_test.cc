// Work and span: exact values of graphs whose shortest chains can be counted by hand.
#include "bench/heap/span.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "bench/heap/heap_graph.h"
#include "gc/runtime/collector.h"
#include "heap/allocator.h"
#include "heap/heap.h"
#include "heap/object.h"
#include "heap/type_descriptor.h"
#include "mark/slices.h"
#include "mark/statistics.h"
#include "tests/scaled.h"
#include "tools/graph/graph_options.h"
#include "tools/graph/graph_spec.h"

namespace jackdaw::bench {
namespace {

using heap::Object;
using heap::TypeDescriptor;
using Objects = std::vector<Object*>;

class SpanTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kSlice = mark::Slices::kSliceElements;

  // An object that refers to `targets`.
  Object* node(std::initializer_list<Object*> targets = {}) {
    Object* const object = allocator_.allocate(pair_type_);
    std::size_t word = 1;
    for (Object* const target : targets) *object->slot(word++) = target;
    return object;
  }
  // The head of a list of `length` objects whose last one refers to `tail`.
  Object* list(std::size_t length, Object* tail = nullptr) {
    Object* head = tail;
    for (std::size_t i = 0; i < length; ++i) head = node({head});
    return head;
  }
  // A complete binary tree.
  Object* tree(unsigned depth) { return depth == 0 ? node() : node({tree(depth - 1), tree(depth - 1)}); }
  // An array of nulls.
  Object* array(std::uint64_t length) {
    Object* const object =
        allocator_.allocate(array_type_, (Object::kArrayHeaderWords + length) * heap::kWordBytes);
    object->set_array_length(length);
    return object;
  }
  // An array that refers to as many leaves.
  Object* star(std::uint64_t length) {
    Object* const object = array(length);
    for (std::uint64_t i = 0; i < length; ++i) *object->element(i) = node();
    return object;
  }

  void expect_work_and_span(const Objects& roots, std::uint64_t objects, std::uint64_t work,
                            std::uint64_t span) {
    const WorkAndSpan found = work_and_span(roots);
    EXPECT_EQ(found.objects, objects);
    EXPECT_EQ(found.work, work);
    EXPECT_EQ(found.span, span);
  }

  const TypeDescriptor pair_type_ = TypeDescriptor::offsets(32, {1, 2});
  const TypeDescriptor array_type_ = TypeDescriptor::reference_array();
  heap::Heap heap_;
  heap::Allocator allocator_{heap_};
};

TEST_F(SpanTest, NothingReachableHasNeitherWorkNorSpan) {
  node();
  expect_work_and_span({}, 0, 0, 0);
  expect_work_and_span({nullptr, nullptr}, 0, 0, 0);
}

TEST_F(SpanTest, OfAListIsItsLength) {
  expect_work_and_span({node()}, 1, 1, 1);
  expect_work_and_span({list(2)}, 2, 2, 2);
  const std::size_t length = mark::scaled(1'000'000);
  expect_work_and_span({list(length)}, length, length, length);
}

TEST_F(SpanTest, OfATreeIsItsLevels) {
  expect_work_and_span({tree(0)}, 1, 1, 1);
  expect_work_and_span({tree(3)}, 15, 15, 4);
  expect_work_and_span({tree(10)}, 2047, 2047, 11);
}

TEST_F(SpanTest, TheShortestChainCounts) {
  Object* const end = list(2);
  // Three tasks on one way to the end's two, one on the other.
  expect_work_and_span({node({list(3, end), end})}, 6, 6, 4);
  // A chain from another root may be shorter still.
  Object* const far = list(5, end);
  expect_work_and_span({far}, 7, 7, 7);
  expect_work_and_span({far, end}, 7, 7, 5);
}

TEST_F(SpanTest, TheDeepestRootCounts) {
  expect_work_and_span({list(3), list(7), list(5)}, 15, 15, 7);
  Object* const head = list(4);
  expect_work_and_span({head, nullptr, head}, 4, 4, 4);
}

TEST_F(SpanTest, CyclesEnd) {
  Object* const self = node();
  *self->slot(1) = self;
  *self->slot(2) = self;
  expect_work_and_span({self}, 1, 1, 1);

  Object* const last = node();
  Object* const head = list(4, last);
  *last->slot(1) = head;
  expect_work_and_span({head}, 5, 5, 5);
  // From the middle of the ring, its other objects come in the same order.
  expect_work_and_span({last}, 5, 5, 5);
}

TEST_F(SpanTest, WhatIsUnreachableDoesNotCount) {
  Object* const live = list(3);
  list(10, live);
  expect_work_and_span({live}, 3, 3, 3);
}

TEST_F(SpanTest, EveryLayoutIsRead) {
  const TypeDescriptor data = TypeDescriptor::none(32);
  const TypeDescriptor words = TypeDescriptor::all_words(32);
  const TypeDescriptor second_word = TypeDescriptor::offsets(32, {2});
  Object* const leaf = allocator_.allocate(data);
  *leaf->slot(1) = list(9);  // a number that looks like a reference
  Object* const sparse = allocator_.allocate(second_word);
  *sparse->slot(1) = list(9);
  *sparse->slot(2) = leaf;
  Object* const full = allocator_.allocate(words);
  for (std::size_t word = 1; word < 4; ++word) *full->slot(word) = word == 3 ? sparse : node();
  // The leaf is no task.
  expect_work_and_span({full}, 5, 4, 2);
  expect_work_and_span({leaf}, 1, 0, 0);
}

TEST_F(SpanTest, OfAStarIsTwo) {
  expect_work_and_span({array(0)}, 1, 1, 1);
  expect_work_and_span({star(1)}, 2, 2, 2);
  expect_work_and_span({star(kSlice)}, kSlice + 1, kSlice + 1, 2);
}

// Slice number i, counted from 0, lies as many tasks below the array's own as i has ones in binary.
TEST_F(SpanTest, EverySliceOfAnArrayIsATask) {
  // Slices 0 and 1.
  expect_work_and_span({array(kSlice + 1)}, 1, 2, 2);
  expect_work_and_span({star(kSlice + 1)}, kSlice + 2, kSlice + 3, 3);
  // Slices 0 to 3: the last is two tasks below.
  expect_work_and_span({array(4 * kSlice)}, 1, 4, 3);
  expect_work_and_span({star(4 * kSlice)}, 4 * kSlice + 1, 4 * kSlice + 4, 4);
  // Slices 0 to 15, the last one 15 = 1111.
  expect_work_and_span({array(16 * kSlice)}, 1, 16, 5);
}

// An array is cut into a power of two of equal slices, so there may be more slices than elements to fill
// them.
TEST_F(SpanTest, SlicesPastTheEndAreNoTasks) {
  // Cut into 4 slices, of which all have elements: 0 to 3.
  expect_work_and_span({array(3 * kSlice + 1)}, 1, 4, 3);
  // Cut into 512 slices that are one element longer than half a slice: the last ones have none, slice 511,
  // with nine ones, among them. Slice 255 has eight.
  constexpr std::uint64_t kElements = 256 * kSlice + 1;
  constexpr std::uint64_t kElementsOfASlice = kSlice / 2 + 1;
  constexpr std::uint64_t kFilled = (kElements + kElementsOfASlice - 1) / kElementsOfASlice;
  static_assert(kFilled > 255 && kFilled <= 511);
  expect_work_and_span({array(kElements)}, 1, kFilled, 9);
}

TEST_F(SpanTest, WhatASliceRefersToIsOneTaskFurther) {
  Object* const object = array(4 * kSlice);
  *object->element(0) = list(2);
  expect_work_and_span({object}, 3, 6, 3);
  *object->element(3 * kSlice) = list(2);  // slice 3 is two below the array's own task
  expect_work_and_span({object}, 5, 8, 5);
  *object->element(kSlice) = list(4);  // slice 1 is one below
  expect_work_and_span({object}, 9, 12, 6);
  *object->element(2 * kSlice - 1) = *object->element(3 * kSlice);  // the last of slice 1 leads there, too
  expect_work_and_span({object}, 9, 12, 6);
}

TEST_F(SpanTest, AnArrayThatRefersToItselfIsCutOnce) {
  Object* const object = array(2 * kSlice);
  for (std::uint64_t i = 0; i < 2 * kSlice; ++i) *object->element(i) = object;
  expect_work_and_span({object}, 1, 2, 2);
}

// Whatever the graph, the engine executes as many tasks, alone or in company.
TEST(WorkAndSpan, WorkIsWhatTheEngineExecutes) {
  for (const std::string name : {"rmat:12,64", "array:5000", "random:5000,2", "comb:70,70"}) {
    for (const std::uint32_t threads : {1U, 3U}) {
      gc::CollectorOptions options;
      options.automatic = false;
      options.marking.engine.threads = threads;
      gc::Collector collector(options);
      const HeapGraph graph(tools::make_graph(name, {}), collector);
      const WorkAndSpan found = work_and_span(graph.roots());
      const mark::WorkerStatistics sum = mark::total(collector.collect().workers);
      EXPECT_EQ(sum.tasks_executed, found.work) << name;
      EXPECT_EQ(sum.objects_marked, found.objects) << name;
    }
  }
}

}  // namespace
}  // namespace jackdaw::bench
