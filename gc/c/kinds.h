// Kinds: the C interface's numbers for kinds of objects, and the variants of a kind that the library makes.
#pragma once

#include <cstdint>

#include "gc/process/process_kinds.h"
#include "heap/kind.h"

namespace jackdaw::c_interface {

/// How a kind differs from its origin.
enum class KindVariant : std::uint8_t {
  uncollectable,  ///< its objects live until they are freed explicitly
  checked,        ///< its objects have a header and a guard (gc/c/checked_objects.h)
};
inline constexpr std::size_t kKindVariants = 2;

/// Returns the heap's number for the kind that the interface calls `number`: GC_I_PTRFREE, GC_I_NORMAL, and
/// then the heap's own in their order.
constexpr heap::KindNumber heap_kind(int number) {
  if (number == 0) return gc::ProcessKinds::kData;
  if (number == 1) return gc::ProcessKinds::kWords;
  return static_cast<heap::KindNumber>(number + 2);
}

/// Returns the interface's number for a kind, or for the origin of a variant.
int interface_number(heap::KindNumber kind);

/// Returns the variant of a kind, which the first request makes. Aborts the program when there are too many
/// kinds.
heap::KindNumber variant_of(heap::KindNumber kind, KindVariant variant);

/// Returns the origin of a variant. For another kind it is KindNumber::references, which the interface does
/// not know.
heap::KindNumber origin_of(heap::KindNumber kind);

/// Whether a kind is that variant of another.
bool is_variant(heap::KindNumber kind, KindVariant variant);

/// Whether objects of a kind are allocated through the interface, and freed by collections.
bool may_die(heap::KindNumber kind);

}  // namespace jackdaw::c_interface
