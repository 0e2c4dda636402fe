// WeakProcessing: marks are added to those of the roots, for every layout, however many objects are queued
// and however little memory there is for tasks.
#include "gc/finalization/weak_processing.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gc/marking/collection.h"
#include "gc/marking/mark_engine.h"
#include "heap/allocator.h"
#include "heap/heap.h"
#include "heap/kind.h"
#include "heap/type_descriptor.h"

namespace jackdaw::gc {
namespace {

using heap::Object;
using heap::TypeDescriptor;
using Objects = std::vector<Object*>;

struct Setup {
  std::uint32_t threads;
  std::size_t blocks;
  std::size_t block_size;
  bool drops_tasks;
};

class WeakProcessingTest : public testing::TestWithParam<Setup> {
 protected:
  static MarkingOptions options() {
    MarkingOptions options;
    options.engine.threads = GetParam().threads;
    options.engine.tuning.blocks = GetParam().blocks;
    options.engine.tuning.block_size = GetParam().block_size;
    if (GetParam().drops_tasks) options.engine.overflow_limit = 0;
    return options;
  }

  Object* allocate(std::size_t words = 2) {
    return allocator_.allocate_plain(words * heap::kWordBytes, heap::KindNumber::words);
  }
  void mark_roots(const Objects& roots) {
    collection_.begin(*marking_);
    collection_.mark(roots);
  }
  CollectionResult sweep() {
    collection_.sweep(heap::OwnedBlocks::taken_back);
    return collection_.finish(std::chrono::steady_clock::now());
  }
  static std::size_t marked(const Objects& objects) {
    std::size_t count = 0;
    for (const Object* const object : objects) count += WeakProcessing::is_marked(object);
    return count;
  }

  heap::Heap heap_{std::size_t{128} << 20};
  heap::Allocator allocator_{heap_};
  std::unique_ptr<MarkEngine> marking_{make_mark_engine(options())};
  Collection collection_{heap_};
  WeakProcessing further_{collection_};
};

TEST_P(WeakProcessingTest, MarksWhatObjectsLeadToBesidesWhatIsMarked) {
  Object* const root = allocate();
  Object* const further = allocate();
  Object* const shared = allocate();
  Object* const behind = allocate();
  Object* const garbage = allocate();
  *root->slot(0) = shared;
  *further->slot(0) = shared;
  *further->slot(1) = behind;
  mark_roots({root});
  EXPECT_EQ(marked({root, shared}), 2U);
  EXPECT_EQ(marked({further, behind, garbage}), 0U);
  further_.mark(further);
  further_.mark(root);
  further_.drain();
  EXPECT_EQ(marked({root, shared, further, behind}), 4U);
  EXPECT_FALSE(WeakProcessing::is_marked(garbage));
  EXPECT_TRUE(further_.lies_in_unmarked_object(garbage->slot(1)));
  EXPECT_FALSE(further_.lies_in_unmarked_object(behind->slot(1)));
  EXPECT_FALSE(further_.lies_in_unmarked_object(&heap_));
  EXPECT_EQ(sweep().live_objects, 4U);
}

// More lists than the queue has room for.
TEST_P(WeakProcessingTest, AQueueThatIsFullIsDrained) {
  constexpr std::size_t kLists = 3 * WeakProcessing::kQueueLength + 7;
  Objects lists;
  for (std::size_t i = 0; i < kLists; ++i) {
    Object* const list = allocate();
    Object* const second = allocate();
    *list->slot(1) = second;
    *second->slot(0) = allocate();
    lists.push_back(list);
  }
  mark_roots({});
  for (Object* const list : lists) further_.mark(list);
  EXPECT_GE(marked(lists), 3 * WeakProcessing::kQueueLength);
  further_.drain();
  EXPECT_EQ(marked(lists), kLists);
  EXPECT_EQ(sweep().live_objects, 3 * kLists);
}

TEST_P(WeakProcessingTest, MarksTheReferencesOfObjectsOfEveryLayout) {
  const TypeDescriptor words = TypeDescriptor::all_words(32);
  const TypeDescriptor offsets = TypeDescriptor::offsets(40, {2, 4});
  const TypeDescriptor none = TypeDescriptor::none(32);
  const TypeDescriptor array_type = TypeDescriptor::reference_array();
  Objects expected;
  Objects parents;
  const auto refer = [&](Object* parent, std::size_t word, bool counts) {
    *parent->slot(word) = allocate();
    if (counts) expected.push_back(*parent->slot(word));
  };
  parents = {allocator_.allocate(words), allocator_.allocate(offsets), allocator_.allocate(none),
             allocate(4)};
  refer(parents[0], 3, true);
  refer(parents[1], 1, false);
  refer(parents[1], 4, true);
  refer(parents[2], 1, false);
  refer(parents[3], 0, true);
  Object* const array = allocator_.allocate_array(array_type, 20'000);
  for (std::uint64_t i = 0; i < 20'000; i += 100) {
    *array->element(i) = allocate();
    expected.push_back(*array->element(i));
  }
  parents.push_back(array);
  mark_roots({});
  for (Object* const parent : parents) further_.mark_references_of(parent);
  further_.drain();
  EXPECT_EQ(marked(parents), 0U);
  EXPECT_EQ(marked(expected), expected.size());
  EXPECT_EQ(sweep().live_objects, expected.size());
}

TEST_P(WeakProcessingTest, ReferencesOfAnObjectToItselfCountUnlessTheyAreIgnored) {
  for (const SelfReferences self : {SelfReferences::ignored, SelfReferences::counted}) {
    Object* const object = allocate(2000);
    Object* const other = allocate();
    *object->slot(7) = reinterpret_cast<Object*>(object->slot(1999));
    *object->slot(1998) = other;
    mark_roots({});
    further_.mark_references_of(object, self);
    further_.drain();
    EXPECT_TRUE(WeakProcessing::is_marked(other));
    EXPECT_EQ(WeakProcessing::is_marked(object), self == SelfReferences::counted);
    sweep();
  }
}

std::string name_of(const testing::TestParamInfo<Setup>& info) {
  return std::to_string(info.param.threads) + "_threads_" + std::to_string(info.param.blocks) +
         "_blocks_of_" + std::to_string(info.param.block_size) + (info.param.drops_tasks ? "_dropping" : "");
}

INSTANTIATE_TEST_SUITE_P(Setups, WeakProcessingTest,
                         testing::Values(Setup{1, 8, 1024, false}, Setup{4, 8, 1024, false},
                                         Setup{1, 2, 1, true}, Setup{4, 2, 2, true}),
                         name_of);

}  // namespace
}  // namespace jackdaw::gc
