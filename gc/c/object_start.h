// Object start: the objects at addresses that the program passes.
#pragma once

#include <cstdint>
#include <optional>

#include "gc/c/start.h"
#include "gc/process/threads/own_work.h"
#include "gc/process/threads/thread_registry.h"
#include "heap/heap.h"
#include "heap/object.h"
#include "heap/span_sizes.h"

namespace jackdaw::c_interface {

/// Returns the object that any address points into, or null. Takes no lock.
inline heap::Object* object_at(const void* address) {
  gc::ProcessThread* const thread = gc::ThreadRegistry::current();
  // There may be no heap yet: the program's own allocation functions may have called this.
  if (thread == nullptr && gc::OwnWork::is_under_way()) return nullptr;
  const heap::Heap& heap = collector().heap();
  if (thread == nullptr) return heap.object_at(address);
  // The critical section keeps a collection from coming between reading a block's shape and its allocation
  // bits.
  const gc::ThreadRegistry::CriticalSection critical(*thread);
  return heap.object_at(address);
}

/// Whether no object but a small one starts at an address; false for null.
inline bool may_only_be_small(const void* address) {
  return (reinterpret_cast<std::uintptr_t>(address) & (heap::kQuarterBytes - 1)) != 0;
}

/// Returns the start of the object that an allocation function returned as `address`: they are equal, unless
/// the object was aligned to more than a block (GC_memalign). Null where a large object may start, but no
/// object is, as after GC_free.
inline heap::Object* start_of(void* address) {
  return may_only_be_small(address) ? static_cast<heap::Object*>(address) : object_at(address);
}

}  // namespace jackdaw::c_interface
