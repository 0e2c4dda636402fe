// Finalizers: which objects become ready in which collection, for every kind; what is kept for them; and what
// happens when memory runs out.
#include "gc/finalization/finalizers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gc/finalization/finalization.h"
#include "tests/address_space_limit.h"
#include "tests/gc/finalization/stopped_program.h"

namespace jackdaw::gc {
namespace {

using heap::Object;
using Objects = std::vector<Object*>;

constexpr FinalizerKind kAllKinds[] = {FinalizerKind::ordered, FinalizerKind::ignore_self,
                                       FinalizerKind::no_order, FinalizerKind::unreachable};

void one_function(void* object, void* data) { *static_cast<void**>(data) = object; }
void another_function(void*, void*) {}

class FinalizersTest : public testing::Test {
 protected:
  // An object with a finalizer.
  Object* finalizable(FinalizerKind kind) {
    Object* const object = program_.allocate();
    EXPECT_TRUE(register_finalizer(program_.tables, object, kind));
    return object;
  }
  // Objects with finalizers, each of which refers to the next.
  Objects chain_of(std::size_t length, FinalizerKind kind) {
    Objects objects;
    for (std::size_t i = 0; i < length; ++i) objects.push_back(finalizable(kind));
    for (std::size_t i = 1; i < length; ++i) *objects[i - 1]->slot(i % 4) = objects[i];
    return objects;
  }
  // The objects whose finalizers a collection makes ready.
  Objects ready_after_collection(bool java = false) {
    program_.collect(java);
    return program_.take_ready();
  }
  void expect_never_ready(const Objects& objects) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(ready_after_collection().empty());
    EXPECT_EQ(finalizers().registered(), objects.size());
    for (const Object* const object : objects) EXPECT_TRUE(program_.is_there(object));
  }
  Finalizers& finalizers() { return program_.tables.finalizers; }

  StoppedProgram program_;
};

class FinalizersOfKind : public FinalizersTest, public testing::WithParamInterface<FinalizerKind> {};

TEST_P(FinalizersOfKind, AreReadyOnceWhenNothingReachesTheObject) {
  for (const bool java : {false, true}) {
    Object* const object = finalizable(GetParam());
    program_.roots = {object};
    EXPECT_TRUE(ready_after_collection(java).empty());
    program_.roots.clear();
    EXPECT_EQ(ready_after_collection(java), Objects{object});
    EXPECT_TRUE(program_.is_there(object)) << "it is to be given to a function";
    EXPECT_EQ(finalizers().registered(), 0U);
    EXPECT_TRUE(ready_after_collection(java).empty());
    EXPECT_FALSE(program_.is_there(object));
  }
}

TEST_P(FinalizersOfKind, KeepAllThatTheObjectLeadsToWhileItWaits) {
  for (const bool java : {false, true}) {
    Object* const object = finalizable(GetParam());
    Object* const next = program_.allocate();
    Object* const last = program_.allocate(10'000);
    *object->slot(2) = next;
    *next->slot(0) = last;
    for (int i = 0; i < 3; ++i) {
      program_.collect(java);
      EXPECT_TRUE(finalizers().has_ready());
      for (const Object* const kept : {object, next, last}) EXPECT_TRUE(program_.is_there(kept));
    }
    EXPECT_EQ(program_.take_ready(), Objects{object});
    EXPECT_FALSE(finalizers().has_ready());
    program_.collect(java);
    for (const Object* const gone : {object, next, last}) EXPECT_FALSE(program_.is_there(gone));
  }
}

TEST_P(FinalizersOfKind, KeepTheDataUntilTheyAreTaken) {
  Object* const object = program_.allocate();
  Object* const data = program_.allocate();
  Object* const behind = program_.allocate();
  *data->slot(1) = behind;
  ASSERT_TRUE(register_finalizer(program_.tables, object, GetParam(), data));
  program_.roots = {object};
  program_.collect();
  EXPECT_TRUE(program_.is_there(behind)) << "while it is registered";
  program_.roots.clear();
  for (int i = 0; i < 2; ++i) {
    program_.collect();
    EXPECT_TRUE(program_.is_there(data) && program_.is_there(behind)) << "while it waits";
  }
  ReadyFinalizer ready;
  ASSERT_TRUE(finalizers().take_ready(ready));
  EXPECT_EQ(ready.object, object);
  EXPECT_EQ(ready.finalizer.data, data);
  EXPECT_EQ(ready.finalizer.kind, GetParam());
  program_.collect();
  EXPECT_FALSE(program_.is_there(data) || program_.is_there(behind));
}

TEST_P(FinalizersOfKind, AreHeldBackByTheirOwnData) {
  Object* const object = program_.allocate();
  Object* const data = program_.allocate();
  *data->slot(3) = object;
  ASSERT_TRUE(register_finalizer(program_.tables, object, GetParam(), data));
  expect_never_ready({object});
  finalizers().take_back(object);
  EXPECT_TRUE(ready_after_collection().empty());
  EXPECT_FALSE(program_.is_there(object));
}

TEST_P(FinalizersOfKind, MayBringTheObjectBackAndRegisterItAgain) {
  Object* const object = finalizable(GetParam());
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(ready_after_collection(), Objects{object});
    program_.roots = {object};
    EXPECT_TRUE(ready_after_collection().empty());
    ASSERT_TRUE(register_finalizer(program_.tables, object, GetParam()));
    EXPECT_TRUE(ready_after_collection().empty());
    program_.roots.clear();
  }
  EXPECT_EQ(ready_after_collection(), Objects{object});
}

std::string name_of_kind(const testing::TestParamInfo<FinalizerKind>& info) {
  static constexpr const char* kNames[] = {"ordered", "ignore_self", "no_order", "unreachable"};
  return kNames[static_cast<std::size_t>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(AllKinds, FinalizersOfKind, testing::ValuesIn(kAllKinds), name_of_kind);

// A freed slot that waits in an allocator's list still counts as an object, whose finalizer is called.
TEST_F(FinalizersTest, OfFreedBlocksAreForgotten) {
  for (const FinalizerKind kind : kAllKinds) {
    for (const std::size_t words : {std::size_t{20'000}, std::size_t{1} << 20}) {
      Object* const object = program_.allocate(words);
      ASSERT_TRUE(register_finalizer(program_.tables, object, kind));
      program_.free(object);
      EXPECT_TRUE(ready_after_collection().empty()) << words;
      EXPECT_EQ(finalizers().registered(), 0U) << words;
    }
  }
}

TEST_F(FinalizersTest, ChainsComeFromTheOutsideInOneACollection) {
  for (const FinalizerKind kind :
       {FinalizerKind::ordered, FinalizerKind::ignore_self, FinalizerKind::unreachable}) {
    for (const bool java : {false, true}) {
      const Objects chain = chain_of(5, kind);
      for (Object* const object : chain) EXPECT_EQ(ready_after_collection(java), Objects{object});
      EXPECT_TRUE(ready_after_collection(java).empty());
    }
  }
}

// The next one becomes ready only when the first is no longer held.
TEST_F(FinalizersTest, ChainsWaitForTheirFirstToBeTaken) {
  const Objects chain = chain_of(2, FinalizerKind::ordered);
  for (int i = 0; i < 3; ++i) program_.collect();
  EXPECT_EQ(program_.take_ready(), Objects{chain[0]});
  EXPECT_EQ(ready_after_collection(), Objects{chain[1]});
}

TEST_F(FinalizersTest, WithoutOrderAChainComesAtOnce) {
  for (const bool java : {false, true}) {
    Objects chain = chain_of(5, FinalizerKind::no_order);
    Objects ready = ready_after_collection(java);
    std::sort(chain.begin(), chain.end());
    std::sort(ready.begin(), ready.end());
    EXPECT_EQ(ready, chain);
  }
}

TEST_F(FinalizersTest, ObjectsWithoutOneDoNotBreakAChain) {
  const Objects ends = chain_of(1, FinalizerKind::ordered);
  Object* const between = program_.allocate(3000);
  Object* const last = finalizable(FinalizerKind::ordered);
  *ends[0]->slot(0) = between;
  *between->slot(2999) = last;
  EXPECT_EQ(ready_after_collection(), ends);
  EXPECT_EQ(ready_after_collection(), Objects{last});
}

TEST_F(FinalizersTest, ACycleIsNeverReady) {
  for (const FinalizerKind kind :
       {FinalizerKind::ordered, FinalizerKind::ignore_self, FinalizerKind::unreachable}) {
    const Objects cycle = chain_of(3, kind);
    *cycle[2]->slot(0) = cycle[0];
    expect_never_ready(cycle);
    for (const Object* const object : cycle) finalizers().take_back(object);
    EXPECT_TRUE(ready_after_collection().empty());
    EXPECT_FALSE(program_.is_there(cycle[0]));
  }
}

TEST_F(FinalizersTest, WithoutOrderACycleIsReady) {
  const Objects cycle = chain_of(3, FinalizerKind::no_order);
  *cycle[2]->slot(0) = cycle[0];
  EXPECT_EQ(ready_after_collection().size(), 3U);
}

TEST_F(FinalizersTest, AnObjectThatRefersToItselfIsReadyIfThatIsToBeIgnored) {
  Object* const ordered = finalizable(FinalizerKind::ordered);
  *ordered->slot(0) = ordered;
  expect_never_ready({ordered});
  finalizers().take_back(ordered);
  for (const FinalizerKind kind : {FinalizerKind::ignore_self, FinalizerKind::no_order}) {
    Object* const object = finalizable(kind);
    *object->slot(1) = object;
    *object->slot(2) = reinterpret_cast<Object*>(object->slot(3));
    EXPECT_EQ(ready_after_collection(), Objects{object});
  }
}

// By way of another object it does reach itself.
TEST_F(FinalizersTest, OnlyAnObjectsOwnReferencesToItselfAreIgnored) {
  Object* const object = finalizable(FinalizerKind::ignore_self);
  Object* const other = program_.allocate();
  *object->slot(0) = other;
  *other->slot(0) = object;
  expect_never_ready({object});
}

TEST_F(FinalizersTest, OfABigObjectAllReferencesCount) {
  constexpr std::size_t kWords = 100'000;
  for (const std::size_t word : {std::size_t{0}, std::size_t{511}, kWords / 2, kWords - 1}) {
    Object* const big = program_.allocate(kWords);
    ASSERT_TRUE(register_finalizer(program_.tables, big, FinalizerKind::ignore_self));
    Object* const inner = finalizable(FinalizerKind::ordered);
    *big->slot(word) = inner;
    *big->slot(kWords / 3) = big;
    EXPECT_EQ(ready_after_collection(), Objects{big});
    EXPECT_EQ(ready_after_collection(), Objects{inner});
  }
}

TEST_F(FinalizersTest, OfDataNothingCounts) {
  Object* const data = program_.allocate_data();
  ASSERT_TRUE(register_finalizer(program_.tables, data, FinalizerKind::ordered));
  Object* const object = finalizable(FinalizerKind::ordered);
  *data->slot(0) = data;
  *data->slot(1) = object;
  EXPECT_EQ(ready_after_collection().size(), 2U);
}

TEST_F(FinalizersTest, InJavaModeTheUnreachableComeWhenNoOtherReachesThem) {
  for (const FinalizerKind other :
       {FinalizerKind::ordered, FinalizerKind::ignore_self, FinalizerKind::no_order}) {
    Object* const outer = finalizable(other);
    Object* const between = program_.allocate();
    Object* const inner = finalizable(FinalizerKind::unreachable);
    *outer->slot(0) = between;
    *between->slot(0) = inner;
    EXPECT_EQ(ready_after_collection(true), Objects{outer});
    EXPECT_EQ(finalizers().registered(), 1U);
    EXPECT_EQ(ready_after_collection(true), Objects{inner});
  }
}

TEST_F(FinalizersTest, InJavaModeTheUnreachableHoldOthersBackAsOrderedOnesDo) {
  Object* const outer = finalizable(FinalizerKind::unreachable);
  Object* const inner = finalizable(FinalizerKind::no_order);
  *outer->slot(0) = inner;
  EXPECT_EQ(ready_after_collection(true), Objects{outer});
  EXPECT_EQ(ready_after_collection(true), Objects{inner});
}

TEST_F(FinalizersTest, WithoutJavaModeObjectsWithoutOrderHoldNothingBack) {
  Object* const outer = finalizable(FinalizerKind::no_order);
  *outer->slot(0) = finalizable(FinalizerKind::unreachable);
  EXPECT_EQ(ready_after_collection(false).size(), 2U);
}

TEST_F(FinalizersTest, AreReplacedAndTakenBack) {
  Object* const object = program_.allocate();
  int first_data = 0;
  int second_data = 0;
  Finalizer old{another_function, &second_data};
  ASSERT_TRUE(finalizers().register_finalizer(object, {one_function, &first_data}, old));
  EXPECT_EQ(old.function, nullptr);
  EXPECT_EQ(old.data, nullptr);
  ASSERT_TRUE(finalizers().register_finalizer(
      object, {another_function, &second_data, FinalizerKind::no_order}, old));
  EXPECT_EQ(old.function, one_function);
  EXPECT_EQ(old.data, &first_data);
  EXPECT_EQ(finalizers().registered(), 1U);
  program_.collect();
  ReadyFinalizer ready;
  ASSERT_TRUE(finalizers().take_ready(ready));
  EXPECT_EQ(ready.object, object);
  EXPECT_EQ(ready.finalizer.function, another_function);
  EXPECT_EQ(ready.finalizer.data, &second_data);
  EXPECT_FALSE(finalizers().take_ready(ready));
}

TEST_F(FinalizersTest, ThatAreTakenBackAreNotCalled) {
  Object* const object = finalizable(FinalizerKind::ordered);
  EXPECT_NE(finalizers().take_back(object).function, nullptr);
  EXPECT_EQ(finalizers().take_back(object).function, nullptr);
  EXPECT_EQ(finalizers().take_back(program_.allocate()).function, nullptr);
  EXPECT_TRUE(ready_after_collection().empty());
  EXPECT_FALSE(program_.is_there(object));
}

TEST_F(FinalizersTest, AreTakenInTheOrderOfTheirCollections) {
  Objects expected;
  for (int i = 0; i < 200; ++i) {
    expected.push_back(finalizable(FinalizerKind::ordered));
    program_.collect();
  }
  EXPECT_EQ(program_.take_ready(), expected);
}

TEST_F(FinalizersTest, AreAnnouncedOnce) {
  const auto announced = [&] {
    Objects objects;
    finalizers().announce_ready([&](Object* object) { objects.push_back(object); });
    return objects;
  };
  Object* const first = finalizable(FinalizerKind::ordered);
  EXPECT_TRUE(announced().empty());
  program_.collect();
  EXPECT_EQ(announced(), Objects{first});
  EXPECT_TRUE(announced().empty());
  Object* const second = finalizable(FinalizerKind::ordered);
  program_.collect();
  EXPECT_EQ(announced(), Objects{second});
  EXPECT_EQ(program_.take_ready(), (Objects{first, second}));
  finalizable(FinalizerKind::ordered);
  program_.collect();
  program_.take_ready();
  EXPECT_TRUE(announced().empty()) << "what was taken is no longer there";
}

TEST_F(FinalizersTest, AllMayBeMadeReady) {
  Objects all = chain_of(100, FinalizerKind::ordered);
  program_.roots = {all[0]};
  finalizers().make_all_ready();
  EXPECT_EQ(finalizers().registered(), 0U);
  EXPECT_TRUE(finalizers().has_ready());
  program_.roots.clear();
  program_.collect();
  Objects ready = program_.take_ready();
  for (const Object* const object : all) EXPECT_TRUE(program_.is_there(object));
  std::sort(ready.begin(), ready.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(ready, all);
  finalizers().make_all_ready();
  EXPECT_FALSE(finalizers().has_ready());
}

// Memory is asked for when they are registered, not when they become ready.
TEST_F(FinalizersTest, AHundredThousandBecomeReadyWithoutMemory) {
  constexpr std::size_t kObjects = 100'000;
  Objects all;
  for (std::size_t i = 0; i < kObjects; ++i) all.push_back(finalizable(kAllKinds[i % 4]));
  EXPECT_EQ(finalizers().registered(), kObjects);
  program_.collect_without_memory();
  Objects ready = program_.take_ready();
  for (const Object* const object : all) ASSERT_TRUE(program_.is_there(object));
  std::sort(ready.begin(), ready.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(ready, all);
}

TEST_F(FinalizersTest, ThatFindNoMemoryChangeNothing) {
  Objects registered;
  Object* refused = nullptr;
  const Finalizer untouched{one_function, this};
  Finalizer old = untouched;
  // Enough objects that one is refused, and a root for each, so that they are there.
  for (int i = 0; i < 20'000; ++i) program_.roots.push_back(program_.allocate());
  registered.reserve(program_.roots.size());
  {
    const AddressSpaceLimit limit(std::size_t{256} << 10);
    for (Object* const object : program_.roots) {
      old = untouched;
      if (!finalizers().register_finalizer(object, {another_function, nullptr}, old)) {
        refused = object;
        break;
      }
      registered.push_back(object);
    }
  }
  ASSERT_NE(refused, nullptr);
  EXPECT_GT(registered.size(), 500U);
  EXPECT_EQ(old.function, untouched.function);
  EXPECT_EQ(old.data, untouched.data);
  EXPECT_EQ(finalizers().registered(), registered.size());
  EXPECT_EQ(finalizers().take_back(refused).function, nullptr);
  ASSERT_TRUE(register_finalizer(program_.tables, refused, FinalizerKind::ordered)) << "memory is back";
  registered.push_back(refused);
  program_.roots.clear();
  Objects ready = ready_after_collection();
  std::sort(ready.begin(), ready.end());
  std::sort(registered.begin(), registered.end());
  EXPECT_EQ(ready, registered);
}

}  // namespace
}  // namespace jackdaw::gc
