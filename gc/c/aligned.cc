// Aligned allocation: gc.h, section 4.
//
// Slots are aligned if their length is a multiple of the alignment, and the size class of such a length has
// slots of just that length. Large objects start at a multiple of a quarter of a block that divides their
// length, and those of whole blocks at a block. For larger alignments the object is longer, and the program
// gets its aligned part. A number that is no power of two is no alignment, but libgc returns
// memory for it: up to a granule any, above that at a multiple.
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/page_memory.h"
#include "gc/c/allocate.h"
#include "gc/process/process_kinds.h"
#include "gc/process/threads/own_work.h"
#include "heap/layout.h"

namespace jackdaw::c_interface {

namespace {

// Returns memory at a multiple of a number that is no power of two, perhaps inside an object. Null when there
// is no memory.
void* try_allocate_at_multiple(std::size_t multiple, std::size_t bytes) {
  auto* const object = static_cast<std::byte*>(try_allocate(bytes + multiple - 1, gc::ProcessKinds::kWords));
  if (object == nullptr) return nullptr;
  const std::size_t behind = (multiple - reinterpret_cast<std::uintptr_t>(object) % multiple) % multiple;
  if (GC_all_interior_pointers == 0) GC_register_displacement(behind);
  return object + behind;
}

// Returns aligned memory, or null when there is none.
void* try_allocate_aligned(std::size_t alignment, std::size_t bytes) {
  constexpr std::size_t kTooMuch = std::numeric_limits<std::size_t>::max() / 2;
  // The bounds keep the sums below from overflowing.
  if (alignment > kTooMuch || bytes > kTooMuch - alignment) return nullptr;
  if (gc::OwnWork::is_under_way()) return gc::OwnMemory::allocate(bytes, std::bit_ceil(alignment));
  if (alignment <= heap::kGranuleBytes) return try_allocate(bytes, gc::ProcessKinds::kWords);
  if (!std::has_single_bit(alignment)) {
    return alignment <= heap::kBlockBytes ? try_allocate_at_multiple(alignment, bytes) : nullptr;
  }
  if (alignment <= heap::kBlockBytes) {
    const std::size_t multiple = (bytes + extra_bytes + alignment - 1) & ~(alignment - 1);
    return try_allocate(std::max(multiple, alignment) - extra_bytes, gc::ProcessKinds::kWords);
  }
  const std::size_t whole = (bytes + extra_bytes + heap::kBlockBytes - 1) & ~(heap::kBlockBytes - 1);
  auto* const object = static_cast<std::byte*>(
      try_allocate(whole - extra_bytes + alignment - heap::kBlockBytes, gc::ProcessKinds::kWords));
  const std::uintptr_t behind = -reinterpret_cast<std::uintptr_t>(object) & (alignment - 1);
  return object == nullptr ? nullptr : object + behind;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void* GC_memalign(std::size_t alignment, std::size_t bytes) {
  void* const object = try_allocate_aligned(alignment, bytes);
  return object != nullptr ? object : out_of_memory(bytes);
}

void* GC_valloc(std::size_t bytes) { return GC_memalign(base::page_bytes(), bytes); }

void* GC_pvalloc(std::size_t bytes) {
  const std::size_t page = base::page_bytes();
  const std::size_t most = std::numeric_limits<std::size_t>::max() & ~(page - 1);
  return GC_valloc(bytes > most ? bytes : (bytes + page - 1) & ~(page - 1));
}

int GC_posix_memalign(void** memptr, std::size_t alignment, std::size_t bytes) {
  if (!std::has_single_bit(alignment) || alignment < sizeof(void*)) return EINVAL;
  void* const object = GC_memalign(alignment, bytes);
  if (object == nullptr) return ENOMEM;
  *memptr = object;
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
