// Questions about addresses and objects: gc.h, section 7.
#include "gc/c/start.h"
#include "heap/heap.h"

namespace jackdaw::c_interface {

extern "C" {

void* GC_base(void* address) { return collector().heap().object_at(address); }

int GC_is_heap_ptr(const void* address) {
  const auto word = reinterpret_cast<std::uintptr_t>(address);
  return collector().heap().map().covers(word) ? 1 : 0;
}

std::size_t GC_size(const void* object) {
  return heap::Heap::bytes_of(static_cast<const heap::Object*>(object));
}

}  // extern "C"

}  // namespace jackdaw::c_interface
