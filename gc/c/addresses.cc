// Questions about addresses and objects: gc.h, section 7.
#include "gc/c/object_start.h"

namespace jackdaw::c_interface {

#pragma GCC visibility push(default)
extern "C" {

void* GC_base(void* address) { return object_at(address); }

int GC_is_heap_ptr(const void* address) {
  const heap::BlockMap& map = collector().heap().map();
  return map.shape_at(reinterpret_cast<std::uintptr_t>(address)).holds_objects() ? 1 : 0;
}

std::size_t GC_size(const void* object) {
  if (object == nullptr) return 0;
  if (gc::OwnMemory::owns(object)) return gc::OwnMemory::bytes_of(object);
  return heap::Heap::bytes_of(static_cast<const heap::Object*>(object));
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
