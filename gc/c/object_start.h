// Object start: the objects behind addresses that come from the program.
#pragma once

#include <cstdint>
#include <optional>

#include "gc/c/start.h"
#include "gc/process/threads/own_work.h"
#include "gc/process/threads/thread_registry.h"
#include "heap/heap.h"
#include "heap/layout.h"
#include "heap/object.h"

namespace jackdaw::c_interface {

/// The object that any address lies in, or null. Takes no lock.
inline heap::Object* object_at(const void* address) {
  gc::ProcessThread* const thread = gc::ThreadRegistry::current();
  // Then there may be no heap, and the program's own allocation functions asked.
  if (thread == nullptr && gc::OwnWork::is_under_way()) return nullptr;
  const heap::Heap& heap = collector().heap();
  if (thread == nullptr) return heap.object_at(address);
  // So no collection comes between the looks at a block's shape and at what is allocated in it.
  const gc::ThreadRegistry::CriticalSection critical(*thread);
  return heap.object_at(address);
}

/// Where the object starts that an allocation function returned as `address`: there, unless it was aligned to
/// more than a block (GC_memalign).
inline heap::Object* start_of(void* address) {
  const bool is_in_block = (reinterpret_cast<std::uintptr_t>(address) & (heap::kBlockBytes - 1)) != 0;
  return is_in_block ? static_cast<heap::Object*>(address) : object_at(address);
}

}  // namespace jackdaw::c_interface
