// Finalizers and links through the C interface: which thread calls what, when, and with which lock.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "gc/c/start.h"
#include "tests/gc/c/hidden.h"

namespace jackdaw::c_interface {
namespace {

int calls = 0;
void* last_data = nullptr;

void count_call(void* object, void* data) {
  EXPECT_NE(GC_base(object), nullptr);
  EXPECT_TRUE(lock_is_free());
  last_data = data;
  ++calls;
}

int data_of_all = 0;

std::vector<Hidden> drop_finalizable() {
  return drop_many(64, [](void* object) {
    GC_register_finalizer_no_order(object, count_call, &data_of_all, nullptr, nullptr);
  });
}

TEST(CFinalizers, AreCalledByACollectionUnlessOnDemand) {
  drop_finalizable();
  collect();
  EXPECT_GT(calls, 0);
  EXPECT_EQ(last_data, &data_of_all);
  EXPECT_EQ(GC_should_invoke_finalizers(), 0);
}

TEST(CFinalizers, AreCalledByAllocation) {
  drop_finalizable();
  clean_stack();
  for (int i = 0; i < 200'000 && calls == 0; ++i) ASSERT_NE(GC_malloc(500), nullptr);
  EXPECT_GT(calls, 0);
}

int notes = 0;
int announced = 0;

TEST(CFinalizers, OnDemandTheProgramIsToldOnceACollectionAndCallsThemItself) {
  GC_set_finalize_on_demand(1);
  GC_set_finalizer_notifier([] {
    EXPECT_TRUE(lock_is_free());
    ++notes;
  });
  GC_set_await_finalize_proc([](void* object) {
    EXPECT_NE(object, nullptr);
    EXPECT_FALSE(lock_is_free());
    ++announced;
  });
  const std::vector<Hidden> dropped = drop_finalizable();
  collect();
  EXPECT_EQ(notes, 1);
  EXPECT_GT(announced, 0);
  EXPECT_EQ(calls, 0);
  EXPECT_NE(GC_should_invoke_finalizers(), 0);
  EXPECT_EQ(count_there(dropped), kManyObjects) << "objects stay until their finalizers were called";
  EXPECT_EQ(GC_invoke_finalizers(), announced);
  EXPECT_EQ(calls, announced);
  EXPECT_EQ(GC_invoke_finalizers(), 0);
  collect();
  EXPECT_LT(count_there(dropped), kManyObjects);
}

TEST(CFinalizers, AreCalledSoManyAtATime) {
  GC_set_finalize_on_demand(1);
  EXPECT_EQ(GC_get_interrupt_finalizers(), 0U);
  GC_set_interrupt_finalizers(3);
  EXPECT_EQ(GC_get_interrupt_finalizers(), 3U);
  drop_finalizable();
  collect();
  EXPECT_EQ(GC_invoke_finalizers(), 3);
  EXPECT_EQ(GC_invoke_finalizers(), 3);
  EXPECT_EQ(calls, 6);
  GC_set_interrupt_finalizers(0);
  EXPECT_GT(GC_invoke_finalizers(), 3);
  drop_finalizable();
  GC_set_interrupt_finalizers(1);
  GC_finalize_all();
  EXPECT_GE(calls, static_cast<int>(2 * kManyObjects) - 20) << "all of them";
}

TEST(CFinalizers, TheOldOneIsGivenBack) {
  void* const object = GC_malloc(16);
  GC_finalization_proc old = nullptr;
  void* old_data = &calls;
  GC_register_finalizer(object, count_call, &data_of_all, &old, &old_data);
  EXPECT_EQ(old, nullptr);
  EXPECT_EQ(old_data, nullptr);
  GC_register_finalizer(object, nullptr, nullptr, &old, &old_data);
  EXPECT_EQ(old, count_call);
  EXPECT_EQ(old_data, &data_of_all);
  GC_register_finalizer(&calls, count_call, nullptr, &old, &old_data);
  EXPECT_EQ(old, nullptr) << "outside the heap";
  GC_finalize_all();
  EXPECT_EQ(calls, 0);
}

TEST(CFinalizers, OfCheckedObjectsAreGivenTheProgramsAddress) {
  static void* expected = nullptr;
  expected = GC_debug_malloc(40, __FILE__, __LINE__);
  GC_debug_register_finalizer(
      expected,
      [](void* object, void* data) {
        EXPECT_EQ(object, expected);
        EXPECT_EQ(data, &data_of_all);
        ++calls;
      },
      &data_of_all, nullptr, nullptr);
  GC_finalization_proc old = nullptr;
  void* old_data = nullptr;
  GC_debug_register_finalizer(expected, count_call, nullptr, &old, &old_data);
  EXPECT_EQ(old_data, &data_of_all) << "not what the library wraps it in";
  GC_debug_register_finalizer(expected, old, old_data, &old, &old_data);
  EXPECT_EQ(old, count_call);
  GC_finalize_all();
  EXPECT_EQ(calls, 1);
}

TEST(CFinalizers, AllOfThemIncludesReachableObjectsAndThoseRegisteredMeanwhile) {
  static void* second = GC_malloc(16);
  void* const first = GC_malloc(16);
  GC_register_finalizer(
      first, [](void*, void*) { GC_register_finalizer(second, count_call, nullptr, nullptr, nullptr); },
      nullptr, nullptr, nullptr);
  GC_finalize_all();
  EXPECT_EQ(calls, 1);
  GC_reachable_here(first);
}

// Memory of this length goes back to the system when it is freed, so that nobody may read it.
constexpr std::size_t kOversized = std::size_t{40} << 20;

TEST(CFinalizers, AllOfThemIncludesNoFreedObject) {
  void* const object = GC_malloc(kOversized);
  GC_register_finalizer(object, count_call, nullptr, nullptr, nullptr);
  GC_free(object);
  GC_finalize_all();
  EXPECT_EQ(calls, 0);
}

TEST(CFinalizers, OneThatThrowsLeavesTheCollectorUnlocked) {
  GC_set_finalize_on_demand(1);
  drop_many(64, [](void* object) {
    GC_register_finalizer_no_order(
        object,
        [](void*, void*) {
          ++calls;
          throw std::runtime_error("thrown by a finalizer");
        },
        nullptr, nullptr, nullptr);
  });
  collect();
  ASSERT_NE(GC_should_invoke_finalizers(), 0);
  EXPECT_THROW(GC_invoke_finalizers(), std::runtime_error);
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(lock_is_free());
  EXPECT_THROW(GC_invoke_finalizers(), std::runtime_error) << "the next one";
  EXPECT_EQ(calls, 2);
}

TEST(CFinalizers, MayAllocateAndNest) {
  drop_many(64, [](void* object) {
    GC_register_finalizer_no_order(
        object,
        [](void*, void*) {
          ++calls;
          for (int i = 0; i < 20'000; ++i) ASSERT_NE(GC_malloc(100), nullptr);
        },
        nullptr, nullptr, nullptr);
  });
  collect();
  EXPECT_GT(calls, 0);
}

TEST(CFinalizersDeathTest, UnreachableOnesNeedTheirMode) {
  GC_init();
  EXPECT_DEATH(GC_register_finalizer_unreachable(GC_malloc(16), count_call, nullptr, nullptr, nullptr),
               "GC_set_java_finalization");
}

struct HiddenLinks {
  std::vector<void*> words = std::vector<void*>(kManyObjects);
  std::size_t cleared() const {
    std::size_t count = 0;
    for (const void* const word : words) count += word == nullptr ? 1 : 0;
    return count;
  }
};

// The links lie where no collection looks: in the memory of malloc.
template <typename Register>
HiddenLinks register_links(Register register_link, void (*use)(void*)) {
  HiddenLinks links;
  std::size_t next = 0;
  drop_many(64, [&](void* object) {
    void** const link = &links.words[next++];
    *link = object;
    EXPECT_EQ(register_link(link, object), GC_SUCCESS);
    EXPECT_EQ(register_link(link, object), GC_DUPLICATE);
    use(object);
  });
  return links;
}

TEST(CLinks, ShortOnesAreClearedBeforeFinalizersLongOnesAfterwards) {
  GC_set_finalize_on_demand(1);
  const auto finalize = [](void* object) {
    GC_register_finalizer_no_order(object, count_call, nullptr, nullptr, nullptr);
  };
  const HiddenLinks weak = register_links(GC_general_register_disappearing_link, finalize);
  const HiddenLinks lasting = register_links(GC_register_long_link, finalize);
  collect();
  EXPECT_GT(weak.cleared(), 0U);
  EXPECT_EQ(lasting.cleared(), 0U);
  GC_invoke_finalizers();
  collect();
  EXPECT_GT(lasting.cleared(), 0U);
}

TEST(CLinks, MoveAndEnd) {
  void* const object = GC_malloc(16);
  void* first = object;
  void* second = object;
  EXPECT_EQ(GC_unregister_disappearing_link(&first), 0);
  EXPECT_EQ(GC_move_disappearing_link(&first, &second), GC_NOT_FOUND);
  EXPECT_EQ(GC_general_register_disappearing_link(&first, object), GC_SUCCESS);
  EXPECT_EQ(GC_move_disappearing_link(&first, &second), GC_SUCCESS);
  EXPECT_EQ(GC_unregister_disappearing_link(&first), 0);
  EXPECT_EQ(GC_unregister_disappearing_link(&second), 1);
  EXPECT_EQ(GC_register_long_link(&first, object), GC_SUCCESS);
  EXPECT_EQ(GC_move_long_link(&first, &second), GC_SUCCESS);
  EXPECT_EQ(GC_unregister_long_link(&second), 1);
}

// The last object's slot joins the run at hand when it is freed, the first one's waits in a list.
TEST(CLinks, InUncollectableObjectsThatWereFreedAreForgotten) {
  void* const target = GC_malloc_uncollectable(300);
  for (const bool is_last : {true, false}) {
    std::array<void**, 20> holders{};
    for (void**& holder : holders) holder = static_cast<void**>(GC_malloc_uncollectable(64));
    void** const freed = is_last ? holders.back() : holders.front();
    ASSERT_EQ(GC_general_register_disappearing_link(freed + 2, target), GC_SUCCESS);
    GC_free(freed);
    GC_gcollect();
    EXPECT_EQ(GC_unregister_disappearing_link(freed + 2), 0);
  }
}

TEST(CLinks, ToggleReferencesAreHeldAsTheProgramSays) {
  static GC_ToggleRefStatus answer = GC_TOGGLE_REF_STRONG;
  EXPECT_EQ(GC_toggleref_add(GC_malloc(16), 1), GC_SUCCESS) << "without a function";
  GC_set_toggleref_func([](void*) {
    EXPECT_FALSE(lock_is_free());
    return answer;
  });
  const std::vector<Hidden> held =
      drop_many(64, [](void* object) { EXPECT_EQ(GC_toggleref_add(object, 1), GC_SUCCESS); });
  collect();
  EXPECT_EQ(count_there(held), kManyObjects);
  answer = GC_TOGGLE_REF_WEAK;
  collect();
  EXPECT_LT(count_there(held), kManyObjects);
}

TEST(CLinks, ToggleReferencesMayBeToCheckedObjects) {
  static std::size_t asked = 0;
  GC_set_toggleref_func([](void* object) {
    EXPECT_EQ(GC_base(object), object);
    ++asked;
    return GC_TOGGLE_REF_STRONG;
  });
  std::vector<Hidden> held;
  for (std::size_t i = 0; i < kManyObjects; ++i) {
    void* const object = GC_debug_malloc(64, __FILE__, __LINE__);
    EXPECT_EQ(GC_debug_toggleref_add(object, 1), GC_SUCCESS);
    held.emplace_back(object);
  }
  collect();
  EXPECT_EQ(asked, kManyObjects);
  EXPECT_EQ(count_there(held), kManyObjects);
}

TEST(CLinks, NobodyIsAskedAboutToggleReferencesToFreedObjects) {
  static std::size_t asked = 0;
  GC_set_toggleref_func([](void*) {
    ++asked;
    return GC_TOGGLE_REF_STRONG;
  });
  void* const freed = GC_malloc(kOversized);
  void* const kept = GC_malloc(16);
  EXPECT_EQ(GC_toggleref_add(freed, 1), GC_SUCCESS);
  EXPECT_EQ(GC_toggleref_add(kept, 1), GC_SUCCESS);
  GC_free(freed);
  GC_gcollect();
  EXPECT_EQ(asked, 1U);
  GC_reachable_here(kept);
}

// ---- Collections that finalizers begin ----

// Returns the log of a program that registers a finalizer for each object of 5000 bytes, of which every
// second lives on.
std::string log_with_finalizers() {
  std::string path = testing::TempDir() + "finalizers_log_" + std::to_string(getpid());
  setenv("JACKDAW_LOG", "1", 1);
  setenv("JACKDAW_LOG_FILE", path.c_str(), 1);
  setenv("JACKDAW_CONCURRENT", "0", 1);
  GC_init();
  void** kept = nullptr;
  for (int i = 0; i < 20'000; ++i) {
    auto** const object = static_cast<void**>(GC_malloc(5000));
    GC_register_finalizer_no_order(
        object, [](void*, void*) {}, nullptr, nullptr, nullptr);
    if (i % 2 == 0) continue;
    *object = kept;
    kept = object;
  }
  GC_reachable_here(kept);
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::remove(path.c_str());
  return text.str();
}

TEST(CFinalizersAndCollections, TheLogSaysWhereTheyBeginCollections) {
  EXPECT_NE(log_with_finalizers().find("reason=finalizers"), std::string::npos);
}

TEST(CFinalizersAndCollections, WithoutBytesForThemTheyBeginNone) {
  setenv("JACKDAW_BYTES_PER_FINALIZER", "0", 1);
  const std::string log = log_with_finalizers();
  EXPECT_NE(log.find("reason=allocation"), std::string::npos);
  EXPECT_EQ(log.find("reason=finalizers"), std::string::npos);
}

}  // namespace
}  // namespace jackdaw::c_interface
