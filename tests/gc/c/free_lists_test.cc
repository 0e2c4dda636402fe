// Lists of free objects, which are empty, and what programs that bring an allocator along use besides.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "gc/c/kinds.h"
#include "gc/c/undeclared.h"
#include "tests/gc/c/hidden_objects.h"

namespace jackdaw::c_interface {
namespace {

constexpr std::size_t kLists = 129;

TEST(FreeLists, AreEmptyAndForgetWhatTheyAreGiven) {
  GC_init();
  void** const own = GC_new_free_list();
  GC_new_kind(own, GC_DS_LENGTH, 1, 1);
  for (void** const lists :
       {GC_objfreelist_ptr, GC_aobjfreelist_ptr, GC_uobjfreelist_ptr, GC_auobjfreelist_ptr, own}) {
    const auto is_null = [](const void* first) { return first == nullptr; };
    EXPECT_TRUE(std::all_of(lists, lists + kLists, is_null));
    lists[1] = GC_malloc(16);
    lists[kLists - 1] = GC_malloc(16);
    GC_gcollect();
    EXPECT_TRUE(std::all_of(lists, lists + kLists, is_null));
  }
}

TEST(FreeLists, DoNotKeepWhatIsInThem) {
  GC_init();
  void** const lists = GC_objfreelist_ptr;
  const HiddenObjects objects = hidden_objects([lists] {
    void* const object = GC_malloc(16);
    GC_NEXT(object) = lists[1];
    return lists[1] = object;
  });
  collect_cleanly();
  EXPECT_LE(objects.still_there(), kFew);
}

TEST(FreeLists, ArePrintedAsTheFreePlacesOfBlocks) {
  // Blocks that are partly free: every other object of them is.
  constexpr std::size_t kBytes = 4 * GC_GRANULE_BYTES - 1;
  const int kind = static_cast<int>(GC_new_kind(GC_new_free_list(), GC_DS_LENGTH, 1, 1));
  auto** const table = static_cast<void**>(GC_malloc(kMany * sizeof(void*)));
  for (std::size_t i = 0; i < kMany; ++i) {
    table[i] = GC_generic_malloc(kBytes, kind);
    GC_generic_malloc(kBytes, kind);
  }
  collect_cleanly();
  testing::internal::CaptureStdout();
  GC_print_free_list(kind, 4);
  const std::string text = testing::internal::GetCapturedStdout();
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  EXPECT_GE(lines, kMany / 2);
  EXPECT_EQ(text.rfind("Free object in heap block 0x", 0), 0U);
  EXPECT_TRUE(text.find(" [" + std::to_string(lines - 1) + "]: 0x") != std::string::npos);
  testing::internal::CaptureStdout();
  GC_print_free_list(kind, 3);
  EXPECT_TRUE(testing::internal::GetCapturedStdout().empty());
  GC_reachable_here(table);
}

TEST(FreeLists, AreCountedByTheProgram) {
  GC_gcollect();
  const std::size_t allocated = GC_get_bytes_since_gc();
  const std::size_t total = GC_get_total_bytes();
  const std::size_t freed = GC_get_expl_freed_bytes_since_gc();
  GC_incr_bytes_allocd(1000);
  EXPECT_EQ(GC_get_bytes_since_gc(), allocated + 1000);
  EXPECT_EQ(GC_get_total_bytes(), total + 1000);
  GC_incr_bytes_freed(500);
  EXPECT_EQ(GC_get_expl_freed_bytes_since_gc(), freed + 500);
}

TEST(FreeLists, MakeACollectionDueByWhatIsCounted) {
  GC_gcollect();
  const GC_word collections = GC_get_gc_no();
  EXPECT_EQ(GC_collect_a_little(), 0);
  EXPECT_EQ(GC_get_gc_no(), collections);
  GC_incr_bytes_allocd(std::size_t{1} << 30);
  GC_incr_bytes_freed(std::size_t{1} << 30);
  EXPECT_EQ(GC_collect_a_little(), 0);
  EXPECT_EQ(GC_get_gc_no(), collections) << "as much was freed";
  GC_incr_bytes_allocd(std::size_t{1} << 30);
  EXPECT_EQ(GC_collect_a_little(), 0);
  EXPECT_EQ(GC_get_gc_no(), collections + 1);
}

// A thread may free up to a block explicitly before it tells others.
TEST(FreedBytes, AreKnownToTheThreadThatFreedThem) {
  GC_gcollect();
  EXPECT_EQ(GC_get_expl_freed_bytes_since_gc(), 0U);
  GC_free(GC_malloc_uncollectable(40));
  EXPECT_EQ(GC_get_expl_freed_bytes_since_gc(), 48U);
  GC_gcollect();
  EXPECT_EQ(GC_get_expl_freed_bytes_since_gc(), 0U);
}

}  // namespace
}  // namespace jackdaw::c_interface
