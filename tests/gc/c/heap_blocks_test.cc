// Programs look at the heap's blocks.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "tests/gc/c/hidden_objects.h"

namespace jackdaw::c_interface {
namespace {

constexpr std::size_t kLarge = 100'000;
constexpr std::size_t kOversized = std::size_t{40} << 20;

std::byte* block_of(void* object) {
  const auto address = reinterpret_cast<std::uintptr_t>(object);
  return static_cast<std::byte*>(object) - address % GC_get_hblk_size();
}

std::set<void*> used_blocks() {
  std::set<void*> blocks;
  GC_apply_to_all_blocks([](GC_hblk_s* block, void* to) { static_cast<std::set<void*>*>(to)->insert(block); },
                         &blocks);
  return blocks;
}

std::set<void*> free_blocks() {
  std::set<void*> blocks;
  const auto note = [](GC_hblk_s* block, int list, void* to) {
    EXPECT_EQ(list, 0);
    static_cast<std::set<void*>*>(to)->insert(block);
  };
  GC_iterate_free_hblks(note, &blocks);
  return blocks;
}

TEST(HeapBlocks, HoldObjectsOrAreFree) {
  void* const small = GC_malloc(100);
  void* const large = GC_malloc(kLarge);
  void* const oversized = GC_malloc(kOversized);
  const std::set<void*> used = used_blocks();
  const std::set<void*> free = free_blocks();
  for (void* const object : {small, large, oversized}) EXPECT_EQ(used.count(block_of(object)), 1U);
  EXPECT_EQ(used.count(block_of(large) + GC_get_hblk_size()), 0U) << "it is told of once";
  for (void* const block : used) {
    EXPECT_EQ(free.count(block), 0U);
    EXPECT_EQ(block, block_of(block));
  }
  EXPECT_FALSE(free.empty());
  GC_free(large);
  EXPECT_EQ(used_blocks().count(large), 0U);
  EXPECT_EQ(free_blocks().count(large), 1U);
  GC_reachable_here(small);
  GC_reachable_here(oversized);
}

struct Section {
  std::byte* start;
  std::byte* end;
  GC_heap_section_type type;

  [[nodiscard]] bool holds(const void* address) const { return start <= address && address < end; }
};

std::vector<Section> sections() {
  std::vector<Section> all;
  const auto note = [](void* start, void* end, GC_heap_section_type type, void* to) {
    static_cast<std::vector<Section>*>(to)->push_back(
        {static_cast<std::byte*>(start), static_cast<std::byte*>(end), type});
  };
  GC_foreach_heap_section_inner(note, &all);
  return all;
}

GC_heap_section_type type_at(const void* address) {
  for (const Section& section : sections()) {
    if (section.type != GC_HEAP_SECTION_TYPE_WHOLE_SECT && section.holds(address)) return section.type;
  }
  ADD_FAILURE() << address << " is in no section";
  return GC_HEAP_SECTION_TYPE_WHOLE_SECT;
}

TEST(HeapSections, AreWhollyTheirParts) {
  GC_reachable_here(GC_malloc(100));
  GC_reachable_here(GC_malloc(kOversized));
  const std::byte* next = nullptr;
  const std::byte* end = nullptr;
  std::size_t whole = 0;
  for (const Section& section : sections()) {
    EXPECT_LT(section.start, section.end);
    if (section.type == GC_HEAP_SECTION_TYPE_WHOLE_SECT) {
      EXPECT_EQ(next, end) << "the last one was told of wholly";
      next = section.start;
      end = section.end;
      ++whole;
    } else {
      EXPECT_EQ(section.start, next);
      next = section.end;
    }
  }
  EXPECT_EQ(next, end);
  EXPECT_GE(whole, 2U);
}

TEST(HeapSections, TellWhatIsInThem) {
  auto* const small = static_cast<std::byte*>(GC_malloc(100));
  auto* const large = static_cast<std::byte*>(GC_malloc(kLarge));
  EXPECT_EQ(type_at(small), GC_HEAP_SECTION_TYPE_USED);
  EXPECT_EQ(type_at(large), GC_HEAP_SECTION_TYPE_USED);
  EXPECT_EQ(type_at(large + GC_size(large) - 1), GC_HEAP_SECTION_TYPE_USED);
  EXPECT_EQ(type_at(large + GC_size(large)), GC_HEAP_SECTION_TYPE_PADDING);
  GC_free(large);
  EXPECT_EQ(type_at(large), GC_HEAP_SECTION_TYPE_FREE);
  GC_gcollect_and_unmap();
  EXPECT_EQ(type_at(large), GC_HEAP_SECTION_TYPE_UNMAPPED);
  GC_reachable_here(small);
}

TEST(HeapBlocks, CountMarks) {
  constexpr std::size_t kObjects = 10;
  auto** const table = static_cast<void**>(GC_malloc(kObjects * sizeof(void*)));
  // Nothing else has this size.
  for (std::size_t i = 0; i < kObjects; ++i) table[i] = GC_malloc_atomic(3000);
  void* const large = GC_malloc(kLarge);
  GC_gcollect();
  const unsigned before = GC_count_set_marks_in_hblk(table[0]);
  EXPECT_GE(before, 1U);
  EXPECT_LE(before, GC_get_hblk_size() / 3000);
  GC_clear_mark_bit(table[0]);
  EXPECT_EQ(GC_count_set_marks_in_hblk(table[0]), before - 1);
  EXPECT_EQ(GC_count_set_marks_in_hblk(large), 1U);
  EXPECT_EQ(GC_count_set_marks_in_hblk(static_cast<std::byte*>(large) + kLarge / 2), 1U);
  GC_clear_mark_bit(large);
  EXPECT_EQ(GC_count_set_marks_in_hblk(large), 0U);
  EXPECT_EQ(GC_count_set_marks_in_hblk(&table), 0U) << "no block";
}

void* volatile looks_like_an_address = nullptr;

// The addresses of free blocks, hidden: a word on the stack counts, too.
[[gnu::noinline]] std::vector<GC_hidden_pointer> hidden_free_blocks() {
  std::vector<GC_hidden_pointer> hidden;
  for (void* const block : free_blocks()) hidden.push_back(GC_HIDE_POINTER(block));
  return hidden;
}

[[gnu::noinline]] GC_hblk_s* black_listed(GC_hidden_pointer from, std::size_t bytes) {
  return GC_is_black_listed(static_cast<GC_hblk_s*>(GC_REVEAL_POINTER(from)), bytes);
}

[[gnu::noinline]] void point_into(GC_hidden_pointer block) {
  looks_like_an_address = static_cast<std::byte*>(GC_REVEAL_POINTER(block)) + 8;
}

TEST(HeapBlocks, AreBlackListedWhereWordsPointIntoThem) {
  GC_reachable_here(GC_malloc(100));
  const std::vector<GC_hidden_pointer> free = hidden_free_blocks();
  ASSERT_GE(free.size(), 10U);
  const GC_hidden_pointer pointed_to = free[free.size() - 2];
  const auto count = [&] {
    std::size_t listed = 0;
    for (const GC_hidden_pointer block : free) listed += black_listed(block, 1) != nullptr ? 1U : 0U;
    return listed;
  };
  collect_cleanly();
  point_into(pointed_to);
  collect_cleanly();
  const std::size_t block = GC_get_hblk_size();
  auto* const next = static_cast<std::byte*>(GC_REVEAL_POINTER(pointed_to)) + block;
  EXPECT_EQ(reinterpret_cast<std::byte*>(black_listed(pointed_to, 1)), next);
  EXPECT_EQ(reinterpret_cast<std::byte*>(black_listed(pointed_to + block, block + 1)), next)
      << "from the block before";
  EXPECT_LE(count(), kFew) << "stale words may point into others";
  GC_hblk_s outside_the_heap{};
  EXPECT_EQ(GC_is_black_listed(&outside_the_heap, 100), nullptr);
  looks_like_an_address = nullptr;
}

}  // namespace
}  // namespace jackdaw::c_interface
