// Marks, between collections, and what a collection marked.
#include <gtest/gtest.h>

#include <set>

#include "tests/gc/c/hidden_objects.h"

namespace jackdaw::c_interface {
namespace {

TEST(Marks, TellWhatTheLastCollectionReached) {
  void* const object = GC_malloc(16);
  GC_gcollect();
  EXPECT_NE(GC_is_marked(object), 0);
  GC_clear_mark_bit(object);
  EXPECT_EQ(GC_is_marked(object), 0);
  GC_set_mark_bit(object);
  EXPECT_NE(GC_is_marked(object), 0);
}

TEST(Marks, AreWhatIsEnumerated) {
  struct Enumerated {
    std::set<const void*> objects;
    std::size_t bytes = 0;
  } enumerated;
  auto** const table = static_cast<void**>(GC_malloc(kMany * sizeof(void*)));
  for (std::size_t i = 0; i < kMany; ++i) table[i] = GC_malloc(i % 2 == 0 ? 24 : 20'000);
  GC_gcollect();
  const auto note = [](void* object, std::size_t bytes, void* data) {
    auto& noted = *static_cast<Enumerated*>(data);
    noted.objects.insert(object);
    noted.bytes += bytes;
  };
  GC_enumerate_reachable_objects_inner(note, &enumerated);
  EXPECT_EQ(enumerated.objects.count(table), 1U);
  for (std::size_t i = 0; i < kMany; ++i) EXPECT_EQ(enumerated.objects.count(table[i]), 1U);
  EXPECT_GE(enumerated.bytes, kMany / 2 * 20'000);
}

TEST(Marks, TheStackIsClearedBeyondTheCaller) {
  int argument = 0;
  EXPECT_EQ(GC_clear_stack(&argument), &argument);
}

}  // namespace
}  // namespace jackdaw::c_interface
