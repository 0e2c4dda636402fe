// Marks, between collections, and what a collection marked.
#include <gtest/gtest.h>

#include <set>
#include <vector>

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

// ---- Marks of the program's own ----

// Ephemerons whose keys lead from one to the next: in memory that is no root.
struct Ephemeron {
  GC_hidden_pointer key;
  GC_hidden_pointer value;
};
std::vector<Ephemeron>* ephemerons;
int rounds = 0;

GC_ms_entry* mark_values(GC_ms_entry* top, GC_ms_entry* limit) {
  ++rounds;
  for (const Ephemeron& ephemeron : *ephemerons) {
    if (GC_is_marked(GC_REVEAL_POINTER(ephemeron.key)) != 0)
      top = GC_MARK_AND_PUSH(GC_REVEAL_POINTER(ephemeron.value), top, limit, nullptr);
  }
  return top;
}

// Each object is the value of one and the key of the next.
HiddenObjects add_chain(std::size_t length, void* first) {
  HiddenObjects objects;
  for (void* key = first; length > 0; --length) {
    auto** const value = static_cast<void**>(GC_malloc(16));
    ephemerons->push_back({GC_HIDE_POINTER(key), GC_HIDE_POINTER(value)});
    *value = GC_malloc_atomic(16);
    objects.add(value);
    objects.add(*value);
    key = value;
  }
  return objects;
}

TEST(Marks, MayBeAddedWhenAllIsMarked) {
  std::vector<Ephemeron> all;
  ephemerons = &all;
  GC_disable();
  void* const root = GC_malloc(16);
  const HiddenObjects kept = add_chain(100, root);
  HiddenObjects dropped;
  for (int i = 0; i < 100; ++i) {
    const HiddenObjects chain = add_chain(10, GC_malloc(16));
    dropped.add(chain);
  }
  GC_enable();
  EXPECT_EQ(GC_get_on_mark_stack_empty(), nullptr);
  GC_set_on_mark_stack_empty(mark_values);
  EXPECT_EQ(GC_get_on_mark_stack_empty(), mark_values);
  collect_cleanly();
  GC_set_on_mark_stack_empty(nullptr);
  EXPECT_EQ(kept.still_there(), kept.size());
  EXPECT_LE(dropped.still_there(), dropped.size() / 10) << "a stale word may keep a chain or another";
  EXPECT_LE(rounds, 100 + 100 + 1);
  GC_reachable_here(root);
  all.clear();
  collect_cleanly();
  EXPECT_LE(kept.still_there(), kept.size() / 10) << "the function is not called any more";
}

// In memory that is no root.
TEST(Marks, RootsMayBePushedAsADescriptorSays) {
  static GC_push_other_roots_proc before = GC_get_push_other_roots();
  static std::vector<void*>* pairs;
  std::vector<void*> memory(2 * kMany);
  pairs = &memory;
  std::size_t next = 0;
  const HiddenObjects first = hidden_objects([&] { return memory[2 * next++] = GC_malloc_atomic(16); });
  next = 0;
  const HiddenObjects second = hidden_objects([&] { return memory[2 * next++ + 1] = GC_malloc_atomic(16); });
  GC_set_push_other_roots([] {
    for (std::size_t i = 0; i < kMany; ++i)
      GC_push_obj_descr(&(*pairs)[2 * i], GC_word{1} << 63 | GC_DS_BITMAP);
    before();
  });
  collect_cleanly();
  GC_set_push_other_roots(before);
  EXPECT_EQ(first.still_there(), kMany);
  EXPECT_LE(second.still_there(), kFew);
}

TEST(Marks, PointersAreWholeWords) {
  EXPECT_EQ(GC_get_pointer_mask(), ~GC_word{0});
  EXPECT_EQ(GC_get_pointer_shift(), 0U);
  GC_set_pointer_mask(GC_get_pointer_mask());
  GC_set_pointer_shift(GC_get_pointer_shift());
}

TEST(MarksDeathTest, PointersCannotBeOtherwise) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(GC_set_pointer_mask(0xffff), "pointers are whole words");
  EXPECT_DEATH(GC_set_pointer_shift(3), "pointers are whole words");
}

TEST(Marks, TheStackIsClearedBeyondTheCaller) {
  int argument = 0;
  EXPECT_EQ(GC_clear_stack(&argument), &argument);
}

}  // namespace
}  // namespace jackdaw::c_interface
