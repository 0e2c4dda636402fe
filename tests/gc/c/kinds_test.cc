// Kinds of objects that a program makes, and mark procedures.
#include <gtest/gtest.h>

#include <array>

#include "gc/c/kinds.h"
#include "tests/gc/c/hidden_objects.h"

namespace jackdaw::c_interface {
namespace {

struct Pair {
  void* followed;
  void* ignored;
};

GC_ms_entry* mark_first(GC_word* object, GC_ms_entry* top, GC_ms_entry* limit, GC_word environment) {
  return GC_MARK_AND_PUSH(reinterpret_cast<void*>(object[environment]), top, limit,
                          reinterpret_cast<void**>(object));
}

// Fills a table with pairs of a kind that lead to two objects each.
struct Pairs {
  explicit Pairs(int kind) : table(static_cast<Pair**>(GC_malloc(kMany * sizeof(Pair*)))) {
    std::size_t next = 0;
    first = hidden_objects([&] {
      Pair* const pair = table[next++] = static_cast<Pair*>(GC_generic_malloc(sizeof(Pair), kind));
      return pair->followed = GC_malloc_atomic(16);
    });
    next = 0;
    second = hidden_objects([&] { return table[next++]->ignored = GC_malloc_atomic(16); });
    collect_cleanly();
  }

  Pair** table;
  HiddenObjects first;
  HiddenObjects second;
};

int kind_of_procedure(GC_word environment) {
  const unsigned procedure = GC_new_proc(mark_first);
  EXPECT_GE(procedure, unsigned{GC_RESERVED_MARK_PROCS});
  return static_cast<int>(GC_new_kind(GC_new_free_list(), GC_MAKE_PROC(procedure, environment), 0, 1));
}

TEST(Kinds, AreMarkedByTheirProcedure) {
  GC_init();
  const Pairs pairs(kind_of_procedure(0));
  EXPECT_EQ(pairs.first.still_there(), kMany);
  EXPECT_LE(pairs.second.still_there(), kFew);
}

TEST(Kinds, TellTheProcedureItsEnvironment) {
  GC_init();
  const Pairs pairs(kind_of_procedure(1));
  EXPECT_LE(pairs.first.still_there(), kFew);
  EXPECT_EQ(pairs.second.still_there(), kMany);
}

TEST(Kinds, AreMarkedByTheirBitmap) {
  const GC_word second = GC_word{1} << 62;
  const Pairs pairs(static_cast<int>(GC_new_kind(GC_new_free_list(), second | GC_DS_BITMAP, 0, 1)));
  EXPECT_LE(pairs.first.still_there(), kFew);
  EXPECT_EQ(pairs.second.still_there(), kMany);
}

TEST(Kinds, AreMarkedByTheirLength) {
  const Pairs pairs(static_cast<int>(GC_new_kind(GC_new_free_list(), 8 | GC_DS_LENGTH, 0, 1)));
  EXPECT_EQ(pairs.first.still_there(), kMany);
  EXPECT_LE(pairs.second.still_there(), kFew);
}

TEST(Kinds, OfAnAddedLengthAreScannedAsAWhole) {
  const Pairs pairs(static_cast<int>(GC_new_kind(GC_new_free_list(), GC_DS_LENGTH, 1, 1)));
  EXPECT_EQ(pairs.first.still_there(), kMany);
  EXPECT_EQ(pairs.second.still_there(), kMany);
}

TEST(Kinds, OfNoLengthAreNotScanned) {
  const Pairs pairs(static_cast<int>(GC_new_kind(GC_new_free_list(), GC_DS_LENGTH, 0, 0)));
  EXPECT_LE(pairs.first.still_there(), kFew);
  EXPECT_LE(pairs.second.still_there(), kFew);
}

TEST(Kinds, HaveUncollectableObjects) {
  GC_init();
  const int kind = kind_of_procedure(0);
  const GC_word before = GC_non_gc_bytes;
  HiddenObjects pairs;
  const HiddenObjects followed = hidden_objects([&] {
    auto* const pair = static_cast<Pair*>(GC_generic_malloc_uncollectable(sizeof(Pair), kind));
    EXPECT_EQ(GC_get_kind_and_size(pair, nullptr), kind);
    pairs.add(pair);
    return pair->followed = GC_malloc_atomic(16);
  });
  EXPECT_GE(GC_non_gc_bytes, before + kMany * sizeof(Pair));
  collect_cleanly();
  EXPECT_EQ(pairs.still_there(), kMany);
  EXPECT_EQ(followed.still_there(), kMany);
}

TEST(Kinds, AreKnownByTheirObjects) {
  GC_init();
  const int kind = kind_of_procedure(0);
  std::size_t bytes = 0;
  EXPECT_EQ(GC_get_kind_and_size(GC_generic_malloc(100, kind), &bytes), kind);
  EXPECT_GE(bytes, 100U);
  EXPECT_EQ(GC_get_kind_and_size(GC_generic_malloc_ignore_off_page(100'000, kind), &bytes), kind);
  EXPECT_GE(bytes, 100'000U);
  for (const int known : {GC_I_PTRFREE, GC_I_NORMAL, 2, 3, kind}) {
    EXPECT_EQ(GC_get_kind_and_size(GC_generic_or_special_malloc(16, known), nullptr), known);
    EXPECT_EQ(GC_get_kind_and_size(GC_malloc_kind(16, known), nullptr), known);
    EXPECT_EQ(GC_get_kind_and_size(GC_malloc_kind_global(16, known), nullptr), known);
    void* const checked = GC_debug_generic_or_special_malloc(16, known, "file", 1);
    EXPECT_EQ(GC_get_kind_and_size(GC_base(checked), nullptr), known);
    void* const other = GC_debug_generic_malloc(16, known, "file", 1);
    EXPECT_EQ(GC_get_kind_and_size(GC_base(other), nullptr), known);
  }
}

// ---- What procedures push ----

constexpr std::size_t kWordsAtOnce = 8;
unsigned pieces_procedure;

// Leaves what is behind the first words to its next call. The environment is the number of words.
GC_ms_entry* mark_in_pieces(GC_word* words, GC_ms_entry* top, GC_ms_entry* limit, GC_word count) {
  const GC_word now = count < kWordsAtOnce ? count : kWordsAtOnce;
  if (count > now)
    top = GC_ms_push_obj_descr(words + now, GC_MAKE_PROC(pieces_procedure, count - now), top, limit);
  return GC_ms_push_all(words, words + now, top, limit);
}

// Nested calls would end the program: a mark thread's stack has no room for that many.
TEST(Kinds, MayBeMarkedInPieces) {
  GC_init();
  constexpr std::size_t kWords = std::size_t{1} << 20;
  pieces_procedure = GC_new_proc(mark_in_pieces);
  const GC_word layout = GC_MAKE_PROC(pieces_procedure, kWords);
  const auto kind = static_cast<int>(GC_new_kind(GC_new_free_list(), layout, 0, 1));
  auto** const words = static_cast<void**>(GC_generic_malloc(kWords * sizeof(void*), kind));
  std::size_t next = 0;
  const HiddenObjects objects = hidden_objects([&] {
    void* const object = GC_malloc_atomic(16);
    words[next] = object;
    next += kWords / kMany;
    return object;
  });
  collect_cleanly();
  EXPECT_EQ(objects.still_there(), kMany);
  GC_reachable_here(words);
}

unsigned halves_procedure;

// Pushes both halves: more than wait at a time.
GC_ms_entry* mark_in_halves(GC_word* words, GC_ms_entry* top, GC_ms_entry* limit, GC_word count) {
  if (count == 1) return GC_ms_push_obj_descr(words, sizeof(void*) | GC_DS_LENGTH, top, limit);
  for (GC_word at = 0; at < count; at += count / 2)
    top = GC_ms_push_obj_descr(words + at, GC_MAKE_PROC(halves_procedure, count / 2), top, limit);
  return top;
}
GC_ms_entry* mark_each(GC_word* words, GC_ms_entry* top, GC_ms_entry* limit, GC_word count) {
  for (GC_word at = 0; at < count; at += 2)
    top = GC_ms_push_obj_descr(words + at, GC_MAKE_PROC(halves_procedure, 2), top, limit);
  return top;
}

TEST(Kinds, MayPushMoreThanWaitsAtATime) {
  GC_init();
  constexpr std::size_t kWords = 1024;
  halves_procedure = GC_new_proc(mark_in_halves);
  for (const GC_word layout :
       {GC_MAKE_PROC(halves_procedure, kWords), GC_MAKE_PROC(GC_new_proc(mark_each), kWords)}) {
    const auto kind = static_cast<int>(GC_new_kind(GC_new_free_list(), layout, 0, 1));
    auto** const words = static_cast<void**>(GC_generic_malloc(kWords * sizeof(void*), kind));
    std::size_t next = 0;
    const HiddenObjects objects = hidden_objects([&] { return words[next++] = GC_malloc_atomic(16); });
    collect_cleanly();
    EXPECT_EQ(objects.still_there(), kMany);
    GC_reachable_here(words);
  }
}

TEST(KindsDeathTest, TooManyEndTheProgram) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto make_many = [] {
    for (int i = 0; i < 100; ++i) GC_new_kind(GC_new_free_list(), GC_DS_LENGTH, 1, 1);
  };
  EXPECT_DEATH(make_many(), "jackdaw: there are too many kinds of objects");
}

TEST(KindsDeathTest, TooManyProceduresEndTheProgram) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto make_many = [] {
    for (int i = 0; i < 100; ++i) GC_new_proc(mark_first);
  };
  EXPECT_DEATH(make_many(), "jackdaw: there are too many mark procedures");
}

}  // namespace
}  // namespace jackdaw::c_interface
