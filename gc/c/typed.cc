// Objects with explicit layouts: gc_typed.h. A layout is a LayoutWord (gc/marking/layout_word.h), which an
// object holds in its last word.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

#include "gc/c/allocate.h"
#include "gc/c/log.h"
#include "gc/c/long_bitmap.h"
#include "gc/c/typed_array.h"
#include "gc/process/process_kinds.h"
#include "heap/heap.h"
#include "heap/layout.h"

namespace jackdaw::c_interface {

namespace {

constexpr std::size_t kMaximumBytes = std::numeric_limits<std::size_t>::max() / 2;

// Returns the number of bits up to the last that is set.
std::size_t length_of(const GC_word* bitmap, std::size_t bits) {
  while (bits > 0 && GC_get_bit(bitmap, bits - 1) == 0) --bits;
  return bits;
}

// Returns a typed object with room for its last word, or null when there is no memory. That word also serves
// as the extra byte.
void* try_allocate_typed(std::size_t bytes, heap::LargeAddresses addresses) {
  if (bytes > kMaximumBytes) return nullptr;
  return try_allocate(std::max(bytes, heap::kWordBytes) + heap::kWordBytes - extra_bytes,
                      gc::ProcessKinds::kTyped, addresses);
}

// Returns where the layout of a typed object lies.
GC_word* layout_of(void* object) {
  const std::size_t bytes = heap::Heap::bytes_of(static_cast<heap::Object*>(object));
  return static_cast<GC_word*>(object) + bytes / heap::kWordBytes - 1;
}

void* allocate_typed(std::size_t bytes, GC_descr layout, heap::LargeAddresses addresses) {
  void* const object = try_allocate_typed(bytes, addresses);
  if (object == nullptr) return out_of_memory(bytes);
  *layout_of(object) = layout;
  return object;
}

// GC_calloc_prepare_explicitly_typed keeps this for the allocations.
struct PreparedArray {
  std::size_t bytes;  // of the elements; kTooMany when they are too many to be counted
  std::size_t shape_bytes;
  ArrayShape shape;

  static constexpr std::size_t kTooMany = std::numeric_limits<std::size_t>::max();

  static PreparedArray of(std::size_t count, std::size_t element_bytes, GC_descr layout) {
    PreparedArray array{0, 0, {count, element_bytes, layout}};
    if (__builtin_mul_overflow(count, element_bytes, &array.bytes) || array.bytes > kMaximumBytes) {
      array.bytes = kTooMany;
    } else {
      array.shape_bytes = c_interface::shape_bytes(array.shape);
    }
    return array;
  }

  [[nodiscard]] void* allocate() const {
    void* const array =
        bytes == kTooMany ? nullptr : try_allocate_typed(bytes + shape_bytes, heap::LargeAddresses::all);
    if (array == nullptr) return out_of_memory(bytes);
    GC_word* const end = layout_of(array);
    const GC_descr whole = set_shape(shape, end);
    // A collection that comes here must see the shape if it sees the layout.
    std::atomic_signal_fence(std::memory_order_release);
    *end = whole;
    return array;
  }
};

void check_structure(std::size_t bytes) {
  if (bytes != sizeof(GC_calloc_typed_descr_s))
    abort_program(
        "the structure for GC_calloc_do_explicitly_typed has another size than gc_typed.h gives it");
}
static_assert(sizeof(PreparedArray) <= sizeof(GC_calloc_typed_descr_s));

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

GC_descr GC_make_descriptor(const GC_word* bitmap, std::size_t bits) {
  const std::size_t length = length_of(bitmap, bits);
  if (length > GC_WORDSZ - GC_DS_TAG_BITS) return make_long_bitmap(bitmap, length);
  if (length == 0) return GC_DS_LENGTH;  // a length of zero: no word is a pointer
  GC_descr layout = GC_DS_BITMAP;
  for (std::size_t word = 0; word < length; ++word)
    layout |= GC_get_bit(bitmap, word) << (GC_WORDSZ - 1 - word);
  return layout;
}

void* GC_malloc_explicitly_typed(std::size_t bytes, GC_descr layout) {
  return allocate_typed(bytes, layout, heap::LargeAddresses::all);
}

void* GC_malloc_explicitly_typed_ignore_off_page(std::size_t bytes, GC_descr layout) {
  return allocate_typed(bytes, layout, heap::LargeAddresses::near_start);
}

void* GC_calloc_explicitly_typed(std::size_t count, std::size_t element_bytes, GC_descr layout) {
  return PreparedArray::of(count, element_bytes, layout).allocate();
}

int GC_calloc_prepare_explicitly_typed(GC_calloc_typed_descr_s* structure, std::size_t structure_bytes,
                                       std::size_t count, std::size_t element_bytes, GC_descr layout) {
  check_structure(structure_bytes);
  const PreparedArray prepared = PreparedArray::of(count, element_bytes, layout);
  std::memcpy(structure, &prepared, sizeof prepared);
  return prepared.bytes != PreparedArray::kTooMany ? 1 : 0;
}

void* GC_calloc_do_explicitly_typed(const GC_calloc_typed_descr_s* structure, std::size_t structure_bytes) {
  check_structure(structure_bytes);
  PreparedArray prepared;
  std::memcpy(&prepared, structure, sizeof prepared);
  return prepared.allocate();
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
