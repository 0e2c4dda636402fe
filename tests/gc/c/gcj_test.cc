// Objects that begin with a pointer to their type.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "gc/c/kinds.h"
#include "tests/gc/c/hidden_objects.h"

namespace jackdaw::c_interface {
namespace {

struct Type {
  const char* name;
  GC_word descriptor;
};

struct Typed {
  const Type* type;
  void* followed;
  void* ignored;
};

constexpr int kIndex = GC_GCJ_RESERVED_MARK_PROC_INDEX;
constexpr GC_word kOwnEnvironment = 5;

// With an environment of 1 the object has a header.
GC_ms_entry* mark_followed(GC_word* object, GC_ms_entry* top, GC_ms_entry* limit, GC_word environment) {
  auto* const typed = static_cast<Typed*>(environment == 1 ? GC_USR_PTR_FROM_BASE(object) : object);
  return typed->type == nullptr ? top : GC_MARK_AND_PUSH(typed->followed, top, limit, &typed->followed);
}

Type by_bitmap{"bitmap", (GC_word{1} << 62) | GC_DS_BITMAP};
Type by_procedure{"procedure", GC_MAKE_PROC(GC_word{kIndex}, kOwnEnvironment)};
Type by_number_and_no_environment{"number", GC_MAKE_PROC(GC_word{kIndex}, 0)};
Type without_references{"none", GC_DS_LENGTH};

class GcjObjects : public testing::Test {
 protected:
  void SetUp() override { GC_init_gcj_malloc(kIndex, reinterpret_cast<void*>(mark_followed)); }
};

// Objects that `make` makes, and what they lead to, after a collection.
struct Graph {
  template <typename Make>
  explicit Graph(Make make) : table(static_cast<Typed**>(GC_malloc(kMany * sizeof(Typed*)))) {
    std::size_t next = 0;
    followed = hidden_objects([&] {
      Typed* const object = table[next++] = static_cast<Typed*>(make());
      return object->followed = GC_malloc_atomic(16);
    });
    next = 0;
    ignored = hidden_objects([&] { return table[next++]->ignored = GC_malloc_atomic(16); });
    collect_cleanly();
  }

  Typed** table;
  HiddenObjects followed;
  HiddenObjects ignored;
};

TEST_F(GcjObjects, AreMarkedAsTheirTypeSays) {
  for (Type* const type : {&by_bitmap, &by_procedure, &by_number_and_no_environment}) {
    const Graph graph([type] { return GC_gcj_malloc(sizeof(Typed), type); });
    EXPECT_EQ(graph.followed.still_there(), kMany) << type->name;
    EXPECT_LE(graph.ignored.still_there(), kFew) << type->name;
    EXPECT_EQ(graph.table[0]->type, type);
  }
  const Graph graph([] { return GC_gcj_malloc(sizeof(Typed), &without_references); });
  EXPECT_LE(graph.followed.still_there(), kFew);
}

TEST_F(GcjObjects, WithChecksAreMarkedByTheProcedure) {
  const Graph graph([] { return GC_debug_gcj_malloc(sizeof(Typed), &without_references, "file", 1); });
  EXPECT_EQ(graph.followed.still_there(), kMany);
  EXPECT_LE(graph.ignored.still_there(), kFew);
  EXPECT_EQ(graph.table[0]->type, &without_references);
}

TEST_F(GcjObjects, AreClearedAndKnownByTheirKind) {
  for (const std::size_t bytes : Sizes{16, 100, 5000, 100'000}) {
    auto* const object = static_cast<Typed*>(GC_gcj_malloc(bytes, &by_bitmap));
    auto* const large = static_cast<Typed*>(GC_gcj_malloc_ignore_off_page(bytes, &by_bitmap));
    for (Typed* const typed : {object, large}) {
      EXPECT_EQ(typed->type, &by_bitmap);
      EXPECT_EQ(typed->followed, nullptr);
      EXPECT_EQ(GC_get_kind_and_size(typed, nullptr), GC_gcj_kind);
      EXPECT_GE(GC_size(typed), bytes);
    }
  }
  void* const checked = GC_debug_gcj_malloc(16, &by_bitmap, "file", 1);
  EXPECT_EQ(GC_get_kind_and_size(GC_base(checked), nullptr), GC_gcj_debug_kind);
  const int kind = GC_gcj_kind;
  GC_init_gcj_malloc(kIndex, nullptr);
  EXPECT_EQ(GC_gcj_kind, kind);
}

// The first word of what was freed leads to no type.
TEST_F(GcjObjects, FreedByHandMayStillBeReferredTo) {
  auto** const table = static_cast<void**>(GC_malloc(kMany * sizeof(void*)));
  for (std::size_t i = 0; i < kMany; ++i) GC_free(table[i] = GC_gcj_malloc(sizeof(Typed), &by_bitmap));
  GC_gcollect();
  GC_reachable_here(table);
}

TEST_F(GcjObjects, FailAsOthersDo) {
  GC_set_oom_fn([](std::size_t) -> void* { return &by_bitmap; });
  const Type before = by_bitmap;
  // Called so that the compiler does not know that nothing that is allocated is there already.
  void* (*volatile allocate)(std::size_t, void*) = GC_gcj_malloc;
  void* (*volatile allocate_checked)(std::size_t, void*, const char*, int) = GC_debug_gcj_malloc;
  EXPECT_EQ(allocate(~std::size_t{0} / 2, &without_references), &by_bitmap);
  EXPECT_EQ(allocate_checked(~std::size_t{0}, &without_references, "file", 1), &by_bitmap);
  EXPECT_EQ(std::memcmp(&before, &by_bitmap, sizeof before), 0);
}

TEST(GcjObjectsAlone, AreScannedWhereTheEnvironmentSaysSo) {
  setenv("GC_IGNORE_GCJ_INFO", "", 1);
  GC_init_gcj_malloc(kIndex, nullptr);
  const Graph graph([] { return GC_gcj_malloc(sizeof(Typed), &without_references); });
  EXPECT_EQ(graph.followed.still_there(), kMany);
  EXPECT_EQ(GC_gcj_kind, GC_gcj_debug_kind);
}

TEST(GcjObjectsAlone, BeginWithTheTypesThatAreMeant) {
  GC_init_gcj_malloc_mp(kIndex, mark_followed, GC_GCJ_MARK_DESCR_OFFSET);
  const Graph graph([] { return GC_gcj_malloc(sizeof(Typed), &by_procedure); });
  EXPECT_EQ(graph.followed.still_there(), kMany);
  EXPECT_LE(graph.ignored.still_there(), kFew);
}

TEST(GcjObjectsDeathTest, NeedAGoodBeginning) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(GC_gcj_malloc(16, &by_bitmap), "GC_gcj_malloc needs GC_init_gcj_malloc");
  EXPECT_DEATH(GC_debug_gcj_malloc(16, &by_bitmap, "file", 1), "needs GC_init_gcj_malloc");
  EXPECT_DEATH(GC_init_gcj_malloc(60, nullptr), "no mark procedure may have");
  EXPECT_DEATH(GC_init_gcj_malloc_mp(kIndex, mark_followed, 16), "must be its second word");
  EXPECT_DEATH(GC_init_gcj_malloc(-1, nullptr), "no mark procedure may have");
}

}  // namespace
}  // namespace jackdaw::c_interface
