// Shapes: the sorts of objects that a fuzzed program allocates, and what is true of each.
#pragma once

#include "jackdaw/gc.h"
#include "jackdaw/gc_disclaim.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "gc/cpp/ephemeron.h"
#include "gc/cpp/garbage_collected.h"
#include "gc/cpp/member.h"
#include "gc/cpp/visitor.h"

namespace jackdaw::fuzz {

/// Prints a line that says what the collector did wrong, and aborts.
[[noreturn]] void report_defect(const char* defect, std::uint64_t number = 0);
inline void expect(bool holds, const char* defect, std::uint64_t number = 0) {
  if (!holds) [[unlikely]]
    report_defect(defect, number);
}

/// A C++ object, which its type's Trace describes.
struct Cell : GarbageCollected<Cell> {
  void Trace(Visitor* visitor) const {
    visitor->Trace(next);
    visitor->Trace(pair);
  }
  Member<Cell> next;
  Ephemeron<Cell, Cell> pair;
  std::uint64_t number = 0;
};

enum class Shape : std::uint8_t {
  words,
  data,
  uncollectable,
  uncollectable_data,
  words_by_start,
  data_by_start,
  aligned,
  checked,
  typed,
  typed_long,
  typed_array,
  kind_prefix,
  kind_bitmap,
  kind_procedure,
  asked,
  cell,
};
inline constexpr std::size_t kShapes = 16;

struct Rules {
  /// The object, and nothing that need be said about it.
  void* (*allocate)(std::size_t bytes, std::size_t choice);
  /// Whether the collector takes this word of the object for a reference.
  bool (*refers)(std::size_t word);
  std::size_t least_bytes;
  std::size_t unit_bytes;  ///< the size is a multiple of it
  bool is_cleared;
  bool lives_until_freed;
  bool is_checked;  ///< by the functions named GC_debug_
  bool may_be_resized;
  bool may_be_freed;
  /// References count that many bytes, and fewer, behind its start.
  std::size_t reachable_bytes;
};

const Rules& rules_of(Shape shape);

/// The type information, kinds and procedures that rules need. Once, after GC_init.
void make_kinds();

/// An object of Shape::asked, as it will be known when it is dead: what is here lives longer than the object.
struct Asked {
  GC_finalizer_closure closure{};
  std::uint64_t number = 0;
  bool is_in_use = false;
  std::atomic<std::uint32_t> times{0};  ///< that it was asked
};
/// An unused one, which the next object of that shape takes; null when there is none.
Asked* next_asked();

}  // namespace jackdaw::fuzz
