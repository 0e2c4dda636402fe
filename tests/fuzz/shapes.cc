#include "tests/fuzz/shapes.h"

#include "jackdaw/gc_mark.h"
#include "jackdaw/gc_typed.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "gc/cpp/make_garbage_collected.h"

namespace jackdaw::fuzz {

namespace {

constexpr std::size_t kAll = SIZE_MAX;
constexpr std::size_t kStart = 255;  // where the program promised to keep a pointer near the start

GC_descr typed_layout;
GC_descr long_layout;
GC_descr element_layout;
int prefix_kind;
int bitmap_kind;
int procedure_kind;
std::array<Asked, 4096> asked_objects;

bool all(std::size_t) { return true; }
bool none(std::size_t) { return false; }
bool typed(std::size_t word) { return word < 10 && word % 3 == 1; }
bool typed_long(std::size_t word) { return word < 100 && word % 7 == 2; }
bool element(std::size_t word) { return word % 3 == 1; }
bool prefix(std::size_t word) { return word < 4; }
bool bitmap(std::size_t word) { return word == 0 || word == 2; }
bool procedure(std::size_t word) { return word == 1; }

GC_ms_entry* mark_second(GC_word* object, GC_ms_entry* top, GC_ms_entry* limit, GC_word word) {
  return GC_MARK_AND_PUSH(reinterpret_cast<void*>(object[word]), top, limit,
                          reinterpret_cast<void**>(object));
}

// With the collector's lock held: nothing may be allocated.
void count_asked(void* object, void* asked_object) {
  auto* const asked = static_cast<Asked*>(asked_object);
  expect(asked->is_in_use, "a procedure was asked about an object that was freed by hand", asked->number);
  expect(*static_cast<std::uint64_t*>(object) == asked->number, "an object changed before it was asked about",
         asked->number);
  ++asked->times;
}

void* allocate_aligned(std::size_t bytes, std::size_t choice) {
  const std::size_t alignment = std::size_t{16} << choice % 10;
  void* const object = GC_memalign(alignment, bytes);
  expect(reinterpret_cast<std::uintptr_t>(object) % alignment == 0, "an object is not aligned", alignment);
  return object;
}

void* allocate_asked(std::size_t bytes, std::size_t) {
  Asked* const asked = next_asked();
  if (asked == nullptr) return nullptr;
  void* const object = GC_finalized_malloc(bytes, &asked->closure);
  if (object == nullptr) return nullptr;
  *static_cast<std::uint64_t*>(object) = asked->number;
  asked->is_in_use = true;
  return object;
}

template <typename Refers>
GC_descr layout_of(Refers refers, std::size_t words) {
  std::array<GC_word, 2> bits{};
  for (std::size_t word = 0; word < words; ++word) {
    if (refers(word)) GC_set_bit(bits.data(), word);
  }
  return GC_make_descriptor(bits.data(), words);
}

int new_kind(GC_word descriptor) {
  return static_cast<int>(GC_new_kind(GC_new_free_list(), descriptor, 0, 1));
}

constexpr std::array<Rules, kShapes> kRules{{
    {[](std::size_t bytes, std::size_t) { return GC_malloc(bytes); }, all, 0, 1, true, false, false, true,
     true, kAll},
    {[](std::size_t bytes, std::size_t) { return GC_malloc_atomic(bytes); }, none, 0, 1, false, false, false,
     true, true, kAll},
    {[](std::size_t bytes, std::size_t) { return GC_malloc_uncollectable(bytes); }, all, 0, 1, true, true,
     false, true, true, kAll},
    {[](std::size_t bytes, std::size_t) { return GC_malloc_atomic_uncollectable(bytes); }, none, 0, 1, false,
     true, false, true, true, kAll},
    {[](std::size_t bytes, std::size_t) { return GC_malloc_ignore_off_page(bytes); }, all, 0, 1, true, false,
     false, true, true, kStart},
    {[](std::size_t bytes, std::size_t) { return GC_malloc_atomic_ignore_off_page(bytes); }, none, 0, 1,
     false, false, false, true, true, kStart},
    {allocate_aligned, all, 0, 1, true, false, false, true, true, kAll},
    {[](std::size_t bytes, std::size_t) { return GC_debug_malloc(bytes, "fuzzed", 1); }, all, 0, 1, true,
     false, true, true, true, kAll},
    {[](std::size_t bytes, std::size_t) { return GC_malloc_explicitly_typed(bytes, typed_layout); }, typed,
     80, 1, true, false, false, false, true, kAll},
    {[](std::size_t bytes, std::size_t) { return GC_malloc_explicitly_typed(bytes, long_layout); },
     typed_long, 800, 1, true, false, false, false, true, kAll},
    {[](std::size_t bytes, std::size_t) {
       return GC_calloc_explicitly_typed(bytes / 24, 24, element_layout);
     },
     element, 24, 24, true, false, false, false, true, kAll},
    {[](std::size_t bytes, std::size_t) { return GC_generic_malloc(bytes, prefix_kind); }, prefix, 32, 1,
     true, false, false, true, true, kAll},
    {[](std::size_t bytes, std::size_t) { return GC_generic_malloc(bytes, bitmap_kind); }, bitmap, 32, 1,
     true, false, false, true, true, kAll},
    {[](std::size_t bytes, std::size_t) { return GC_generic_malloc(bytes, procedure_kind); }, procedure, 16,
     1, true, false, false, true, true, kAll},
    {allocate_asked, [](std::size_t word) { return word != 0; }, 8, 1, false, false, false, false, true,
     kAll},
    {[](std::size_t, std::size_t) -> void* { return MakeGarbageCollected<Cell>(); },
     [](std::size_t word) { return word == 0; }, sizeof(Cell), sizeof(Cell), false, false, false, false,
     false, 0},
}};

}  // namespace

void report_defect(const char* defect, std::uint64_t number) {
  std::fprintf(stderr, "defect: %s (%" PRIu64 ")\n", defect, number);
  std::abort();
}

const Rules& rules_of(Shape shape) { return kRules[static_cast<std::size_t>(shape)]; }

void make_kinds() {
  GC_init_finalized_malloc();
  typed_layout = layout_of(typed, 10);
  long_layout = layout_of(typed_long, 100);
  element_layout = layout_of(element, 3);
  prefix_kind = new_kind(32 | GC_DS_LENGTH);
  bitmap_kind = new_kind(std::rotr(GC_word{0b101}, 3) | GC_DS_BITMAP);
  procedure_kind = new_kind(GC_MAKE_PROC(GC_new_proc(mark_second), 1));
  for (Asked& asked : asked_objects) asked.closure = {count_asked, &asked};
}

Asked* next_asked() {
  static std::uint64_t number = 0;
  const auto unused = std::ranges::find(asked_objects, false, &Asked::is_in_use);
  if (unused == asked_objects.end()) return nullptr;
  unused->times = 0;
  unused->number = 0x5a5a'0000'0000'0000U | ++number;
  return &*unused;
}

}  // namespace jackdaw::fuzz
