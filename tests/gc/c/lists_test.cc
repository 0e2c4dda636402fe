// Several objects at once.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "gc/c/kinds.h"
#include "tests/gc/c/hidden_objects.h"

namespace jackdaw::c_interface {
namespace {

// The objects of a list, each with a clear rest if `is_clear`.
std::set<void*> objects_of(void* list, std::size_t bytes, bool is_clear) {
  std::set<void*> objects;
  for (; list != nullptr; list = GC_NEXT(list)) {
    EXPECT_TRUE(objects.insert(list).second);
    EXPECT_EQ(GC_base(list), list);
    EXPECT_GE(GC_size(list), bytes);
    const auto* const rest = static_cast<const unsigned char*>(list);
    for (std::size_t i = sizeof(void*); is_clear && i < bytes; ++i) EXPECT_EQ(rest[i], 0);
  }
  return objects;
}

TEST(Lists, HoldManySmallObjectsAndOneBigOne) {
  for (const std::size_t bytes : Sizes{0, 8, 15, 16, 100, 4000, 8191, 8192, 100'000}) {
    EXPECT_FALSE(objects_of(GC_malloc_many(bytes), bytes, true).empty());
    for (const int kind : {GC_I_PTRFREE, GC_I_NORMAL}) {
      void* list = nullptr;
      GC_generic_malloc_many(bytes, kind, &list);
      EXPECT_FALSE(objects_of(list, bytes, kind == GC_I_NORMAL).empty());
      EXPECT_EQ(GC_get_kind_and_size(list, nullptr), kind);
    }
  }
  EXPECT_GT(objects_of(GC_malloc_many(16), 16, true).size(), 100U);
  void* list = nullptr;
  GC_generic_malloc_many(16, GC_I_NORMAL, &list);
  EXPECT_EQ(GC_size(list), 16U);
}

TEST(Lists, AreKeptByTheirFirstObject) {
  void* const list = GC_malloc_many(24);
  const std::size_t count = objects_of(list, 24, true).size();
  collect_cleanly();
  EXPECT_EQ(objects_of(list, 24, true).size(), count);
}

TEST(Lists, OfUncollectableObjectsAreCounted) {
  const GC_word before = GC_non_gc_bytes;
  void* list = nullptr;
  GC_generic_malloc_many(16, 2, &list);
  for (void* next = nullptr; list != nullptr; list = next) {
    next = GC_NEXT(list);
    GC_free(list);
  }
  EXPECT_EQ(GC_non_gc_bytes, before);
}

TEST(Lists, CanBeMadeWhileAnotherThreadCollects) {
  GC_init();
  std::atomic<bool> is_over{false};
  std::thread collecting([&] {
    while (!is_over.load()) GC_gcollect();
  });
  for (int round = 0; round < 300; ++round) {
    void* list = nullptr;
    GC_generic_malloc_many(32, GC_I_PTRFREE, &list);
    ASSERT_NE(list, nullptr);
    ASSERT_EQ(GC_base(list), list);
  }
  is_over.store(true);
  collecting.join();
}

}  // namespace
}  // namespace jackdaw::c_interface
