// Kinds: the C interface's numbers for kinds of objects, and the variants of a kind that the library makes
// for itself.
#pragma once

#include <cstdint>

#include "gc/process/process_kinds.h"
#include "heap/kind.h"

namespace jackdaw::c_interface {

/// A kind like another, but for one thing.
enum class KindVariant : std::uint8_t {
  uncollectable,  ///< its objects live until they are freed explicitly
  checked,        ///< its objects have a header and a guard (gc/c/checked_objects.h)
};
inline constexpr std::size_t kKindVariants = 2;

/// The heap's number for the kind that the interface calls `number`: GC_I_PTRFREE, GC_I_NORMAL, then the
/// heap's own in their order.
constexpr heap::KindNumber heap_kind(int number) {
  if (number == 0) return gc::ProcessKinds::kData;
  if (number == 1) return gc::ProcessKinds::kWords;
  return static_cast<heap::KindNumber>(number + 2);
}

/// The interface's number for a kind; of a variant, that of the kind that it is one of.
int interface_number(heap::KindNumber kind);

/// The variant of a kind, made when it is first asked for. Aborts the program when there are too many kinds.
heap::KindNumber variant_of(heap::KindNumber kind, KindVariant variant);

/// The kind that a variant is one of, or KindNumber::references, which the interface does not know, of a kind
/// that is none.
heap::KindNumber origin_of(heap::KindNumber kind);

/// Whether a kind is a variant of that sort.
bool is_variant(heap::KindNumber kind, KindVariant variant);

}  // namespace jackdaw::c_interface
