// HeapObjectModel: each layout's references are found, each element of an array once, however it is sliced.
#include "gc/marking/object_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <vector>

#include "heap/allocator.h"
#include "heap/heap.h"

namespace jackdaw::gc {
namespace {

using heap::Object;
using heap::TypeDescriptor;

// A reference that is told apart from all others and never followed.
Object* reference_number(std::uint64_t number) {
  return reinterpret_cast<Object*>((number + 1) * heap::kGranuleBytes);  // NOLINT(performance-no-int-to-ptr)
}

// Visits an object and all the parts that visits leave over, oldest or newest first, one at a time.
class SerialEngine {
 public:
  explicit SerialEngine(bool newest_first) : newest_first_(newest_first) {}

  void reference(Object* reference) {
    references_.push_back(reference);
    ++references_of_visit_;
  }
  void task(MarkTask task) { waiting_.push_back(task); }

  void run(MarkTask first) {
    waiting_.push_back(first);
    while (!waiting_.empty()) {
      const MarkTask task = newest_first_ ? waiting_.back() : waiting_.front();
      if (newest_first_) {
        waiting_.pop_back();
      } else {
        waiting_.pop_front();
      }
      references_of_visit_ = 0;
      model_.visit(task, *this);
      ++visits_;
      most_references_of_visit_ = std::max(most_references_of_visit_, references_of_visit_);
    }
  }

  bool visit_at_once(MarkTask task) { return model_.visit_at_once(task, *this); }

  std::vector<Object*> sorted_references() const {
    std::vector<Object*> sorted = references_;
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }
  std::uint64_t visits() const { return visits_; }
  std::uint64_t most_references_of_visit() const { return most_references_of_visit_; }

 private:
  bool newest_first_;
  HeapObjectModel model_;
  std::deque<MarkTask> waiting_;
  std::vector<Object*> references_;
  std::uint64_t visits_ = 0;
  std::uint64_t references_of_visit_ = 0;
  std::uint64_t most_references_of_visit_ = 0;
};

// Notes the references of a visit. Those into the middle of a slot that hold no start are marked already.
struct References {
  std::vector<Object*> found;

  void reference(Object* reference) { found.push_back(reference); }
  void task(MarkTask) { ADD_FAILURE() << "there are no parts"; }
  std::vector<Object*> starts(const heap::Heap& heap) const {
    std::vector<Object*> starts;
    for (Object* const reference : found) {
      if (heap.object_at(reference) == reference) starts.push_back(reference);
    }
    return starts;
  }
};

class ObjectModelTest : public testing::Test {
 protected:
  std::vector<Object*> references_of(Object* object) {
    SerialEngine engine(true);
    engine.run(MarkTask(object));
    SerialEngine at_once(true);
    if (at_once.visit_at_once(MarkTask(object))) {
      EXPECT_EQ(at_once.sorted_references(), engine.sorted_references());
    }
    return engine.sorted_references();
  }
  static std::vector<Object*> numbers(std::vector<std::uint64_t> which) {
    std::vector<Object*> references;
    references.reserve(which.size());
    for (const std::uint64_t number : which) references.push_back(reference_number(number));
    return references;
  }

  heap::Heap heap_;
  heap::Allocator allocator_{heap_};
  HeapObjectModel model_;
};

TEST_F(ObjectModelTest, DataHoldsNoReference) {
  const TypeDescriptor type = TypeDescriptor::none(64);
  Object* const object = allocator_.allocate(type);
  for (std::size_t word = 1; word < 8; ++word) *object->slot(word) = reference_number(word);
  EXPECT_TRUE(references_of(object).empty());
}

TEST_F(ObjectModelTest, AllWordsAreEveryWordButTheHeader) {
  for (const std::size_t bytes :
       {std::size_t{8}, std::size_t{16}, std::size_t{24}, std::size_t{64}, std::size_t{80'000}}) {
    const TypeDescriptor type = TypeDescriptor::all_words(bytes);
    Object* const object = allocator_.allocate(type);
    EXPECT_TRUE(references_of(object).empty());
    std::vector<std::uint64_t> expected;
    for (std::size_t word = 1; word < bytes / heap::kWordBytes; ++word) {
      *object->slot(word) = reference_number(word);
      expected.push_back(word);
    }
    EXPECT_EQ(references_of(object), numbers(expected)) << bytes;
  }
}

TEST_F(ObjectModelTest, OffsetsAreTheGivenWordsAndNoOthers) {
  const TypeDescriptor type = TypeDescriptor::offsets(80, {2, 5, 9});
  Object* const object = allocator_.allocate(type);
  for (std::size_t word = 1; word < 10; ++word) *object->slot(word) = reference_number(word);
  EXPECT_EQ(references_of(object), numbers({2, 5, 9}));
  *object->slot(5) = nullptr;
  EXPECT_EQ(references_of(object), numbers({2, 9}));
  const TypeDescriptor nowhere = TypeDescriptor::offsets(80, {});
  EXPECT_TRUE(references_of(allocator_.allocate(nowhere)).empty());
}

TEST_F(ObjectModelTest, EveryElementOfAnArrayIsVisitedExactlyOnce) {
  const TypeDescriptor type = TypeDescriptor::reference_array();
  for (const std::uint64_t length : std::initializer_list<std::uint64_t>{
           0,    1,    2,    3,    510,  511,  512,  513,    514,    1023,   1024,   1025,
           1535, 1536, 1537, 2047, 2048, 2049, 4097, 65'535, 65'536, 65'537, 100'001}) {
    Object* const array = allocator_.allocate_array(type, length);
    ASSERT_NE(array, nullptr);
    std::vector<Object*> expected;
    for (std::uint64_t i = 0; i < length; ++i) expected.push_back(*array->element(i) = reference_number(i));
    for (const bool newest_first : {true, false}) {
      SerialEngine engine(newest_first);
      engine.run(MarkTask(array));
      ASSERT_EQ(engine.sorted_references(), expected) << "length " << length;
      EXPECT_LE(engine.most_references_of_visit(), mark::Slices::kSliceElements);
      EXPECT_GE(engine.visits(), (length + mark::Slices::kSliceElements - 1) / mark::Slices::kSliceElements);
    }
  }
}

TEST_F(ObjectModelTest, NullElementsAreNoReferences) {
  const TypeDescriptor type = TypeDescriptor::reference_array();
  Object* const array = allocator_.allocate_array(type, 10'000);
  EXPECT_TRUE(references_of(array).empty());
  *array->element(0) = reference_number(1);
  *array->element(5'000) = reference_number(2);
  *array->element(9'999) = reference_number(3);
  EXPECT_EQ(references_of(array), numbers({1, 2, 3}));
}

TEST_F(ObjectModelTest, WhatATypeDescribesIsVisitedAtOnceUnlessItIsCut) {
  const TypeDescriptor words = TypeDescriptor::all_words(64);
  const TypeDescriptor offsets = TypeDescriptor::offsets(80, {2, 5, 9});
  const TypeDescriptor array = TypeDescriptor::reference_array();
  const auto is_visited = [](MarkTask task) { return SerialEngine(true).visit_at_once(task); };
  EXPECT_TRUE(is_visited(MarkTask(allocator_.allocate(words))));
  EXPECT_TRUE(is_visited(MarkTask(allocator_.allocate(offsets))));
  for (const std::uint64_t length : {0U, 1U, 2U, 7U, 128U, 129U, 5000U}) {
    Object* const object = allocator_.allocate_array(array, length);
    std::vector<std::uint64_t> expected;
    for (std::uint64_t i = 0; i < length; ++i) {
      *object->element(i) = reference_number(i);
      expected.push_back(i);
    }
    EXPECT_EQ(is_visited(MarkTask(object)), !mark::Slices::is_cut(length)) << length;
    EXPECT_EQ(references_of(object), numbers(expected)) << length;
    EXPECT_FALSE(is_visited(MarkTask(MarkTask(object), mark::Slices::kWhole)));
  }
  EXPECT_FALSE(is_visited(model_.task_of(allocator_.allocate_plain(64, heap::KindNumber::words))));
}

// In objects without a descriptor every word counts that leads to an object, wherever in it.
TEST_F(ObjectModelTest, WordsAreLookedAtExactlyOnce) {
  for (const std::size_t bytes : {std::size_t{16}, std::size_t{96}, std::size_t{8192}, std::size_t{8208},
                                  std::size_t{500'000}, 2 * heap::kChunkBytes + 24}) {
    Object* const object = allocator_.allocate_plain(bytes, heap::KindNumber::words);
    ASSERT_NE(object, nullptr);
    ASSERT_FALSE(model_.is_leaf(object));
    std::vector<Object*> expected;
    for (std::size_t word = 0; word < bytes / heap::kWordBytes; word += 1 + word / 20) {
      Object* const target = allocator_.allocate_plain(64, heap::KindNumber::data);
      expected.push_back(target);
      *object->slot(word) = reinterpret_cast<Object*>(target->slot(word % 8));
    }
    std::sort(expected.begin(), expected.end());
    for (const bool newest_first : {true, false}) {
      SerialEngine engine(newest_first);
      engine.run(model_.task_of(object));
      ASSERT_EQ(engine.sorted_references(), expected) << bytes << " bytes";
      EXPECT_LE(engine.most_references_of_visit(), mark::Slices::kSliceElements);
      // Slices are parts of 2^n equal ones, each longer than half of what one may be.
      EXPECT_LE(engine.visits(), 1 + bytes / (mark::Slices::kSliceElements * 8 * heap::kWordBytes / 2));
    }
  }
}

// The visit finds the references that candidates would find, with and without displacements.
TEST_F(ObjectModelTest, ObjectsOfFewWordsAreVisitedWithoutCandidates) {
  for (const bool all_addresses_keep : {true, false}) {
    heap_.set_all_addresses_keep(all_addresses_keep);
    const HeapObjectModel model({.map = heap_.map()});
    for (const std::size_t bytes : {16U, 32U, 48U, 64U, 80U, 8208U}) {
      Object* const object = allocator_.allocate_plain(bytes, heap::KindNumber::words);
      std::vector<Object*> expected;
      for (std::size_t word = 0; word < bytes / heap::kWordBytes; word += 2) {
        Object* const target = allocator_.allocate_plain(64, heap::KindNumber::data);
        const bool is_inside = word % 4 != 0;
        *object->slot(word) = reinterpret_cast<Object*>(target->slot(is_inside ? 3 : 0));
        *object->slot(word + 1) = reference_number(word);  // no address in the heap
        if (!is_inside || all_addresses_keep) expected.push_back(target);
      }
      References found;
      const bool is_visited = model.visit_few_words(model.task_of(object), found);
      EXPECT_EQ(is_visited, bytes <= 64) << bytes;
      if (is_visited) {
        EXPECT_EQ(found.starts(heap_), expected) << bytes << " bytes, all: " << all_addresses_keep;
      }
    }
  }
}

TEST_F(ObjectModelTest, ObjectsOfDataAreLeavesAndNoOthers) {
  const TypeDescriptor data = TypeDescriptor::none(0);
  const TypeDescriptor fields = TypeDescriptor::offsets(64, {3});
  const TypeDescriptor array = TypeDescriptor::reference_array();
  const auto is_leaf = [this](Object* object) {
    heap_.clear_marks();
    return HeapObjectModel().mark(object, mark::Sharing::exclusive).is_leaf();
  };
  EXPECT_TRUE(is_leaf(allocator_.allocate(data, 64)));
  EXPECT_TRUE(is_leaf(allocator_.allocate(data, 5'000'000)));
  EXPECT_FALSE(is_leaf(allocator_.allocate(fields)));
  EXPECT_FALSE(is_leaf(allocator_.allocate_array(array, 0)));
  EXPECT_FALSE(is_leaf(allocator_.allocate_array(array, 500'000)));
}

TEST_F(ObjectModelTest, MarkingGoesToTheObjectsChunk) {
  const TypeDescriptor type = TypeDescriptor::none(0);
  HeapObjectModel model;
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{9000}, std::size_t{5'000'000}}) {
    Object* const first = allocator_.allocate(type, bytes);
    Object* const second = allocator_.allocate(type, bytes);
    EXPECT_TRUE(model.is_marked(first)) << "as it may be in use before it is found";
    heap_.clear_marks();
    EXPECT_FALSE(model.is_marked(first));
    const HeapObjectModel::Outcome outcome = model.mark(first, mark::Sharing::exclusive);
    EXPECT_TRUE(outcome.is_newly_marked());
    EXPECT_TRUE(outcome.is_leaf());
    EXPECT_TRUE(model.is_marked(first));
    EXPECT_FALSE(model.mark(first, mark::Sharing::shared).is_newly_marked());
    EXPECT_TRUE(model.mark(second, mark::Sharing::shared).is_newly_marked());
    EXPECT_FALSE(model.mark(second, mark::Sharing::exclusive).is_newly_marked());
    EXPECT_TRUE(heap::Chunk::of(first)->is_marked(first));
  }
}

}  // namespace
}  // namespace jackdaw::gc
