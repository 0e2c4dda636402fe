#include "gc/c/uncollectable.h"

#include <algorithm>
#include <atomic>

#include "gc/c/allocate.h"
#include "gc/c/settings.h"
#include "heap/heap.h"
#include "heap/size_classes.h"

namespace jackdaw::c_interface {

void count_uncollectable(std::size_t bytes) {
  // The interface has a plain variable. Relaxed: a total that publishes nothing.
  std::atomic_ref(GC_non_gc_bytes).fetch_add(bytes, std::memory_order_relaxed);
}

void* try_allocate_counted(std::size_t bytes, heap::KindNumber kind, heap::LargeAddresses addresses) {
  void* const object = try_allocate(bytes, kind, addresses);
  if (object != nullptr && is_uncollectable(object))
    count_uncollectable(heap::Heap::bytes_of(static_cast<heap::Object*>(object)));
  return object;
}

void* allocate_counted(std::size_t bytes, heap::KindNumber kind, heap::LargeAddresses addresses) {
  void* const object = try_allocate_counted(bytes, kind, addresses);
  return object != nullptr ? object : out_of_memory(bytes);
}

void* allocate_uncollectable(std::size_t bytes, heap::KindNumber kind) {
  // The allocating functions add the extra byte again.
  const std::size_t asked = bytes - std::min(bytes, extra_bytes);
  void* object = allocate_from_run(asked, kind);
  if (object == nullptr) object = allocate_from_block(asked, kind);
  if (object != nullptr) {
    count_uncollectable(heap::SizeClasses::slot_bytes(heap::SizeClasses::class_of(asked + extra_bytes)));
    return object;
  }
  object = try_allocate_counted(asked, kind);
  return object != nullptr ? object : out_of_memory(bytes);
}

}  // namespace jackdaw::c_interface
