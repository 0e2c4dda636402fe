// Allocation as malloc and free: gc.h, section 4.
#include <new>

#include "gc/c/allocate.h"
#include "gc/c/log.h"
#include "gc/c/object_start.h"
#include "gc/c/uncollectable.h"
#include "gc/process/process_kinds.h"

namespace jackdaw::c_interface {

namespace {

using gc::ProcessKinds;

void* allocate_uncollectable(std::size_t bytes, heap::KindNumber kind) {
  void* const object = allocate(bytes, kind);
  // What the program's out-of-memory function returns need not lie in the heap.
  if (object != nullptr && collector().heap().object_at(object) == object)
    count_uncollectable(heap::Heap::bytes_of(static_cast<heap::Object*>(object)));
  return object;
}

}  // namespace

extern "C" {

void* GC_malloc(std::size_t bytes) { return allocate(bytes, ProcessKinds::kWords); }

void* GC_malloc_atomic(std::size_t bytes) { return allocate(bytes, ProcessKinds::kData); }

void* GC_malloc_uncollectable(std::size_t bytes) {
  return allocate_uncollectable(bytes, ProcessKinds::kUncollectableWords);
}

void* GC_malloc_atomic_uncollectable(std::size_t bytes) {
  return allocate_uncollectable(bytes, ProcessKinds::kUncollectableData);
}

void* GC_malloc_ignore_off_page(std::size_t bytes) {
  return allocate_kept_near_start(bytes, ProcessKinds::kWords);
}

void* GC_malloc_atomic_ignore_off_page(std::size_t bytes) {
  return allocate_kept_near_start(bytes, ProcessKinds::kData);
}

void* GC_malloc_stubborn(std::size_t bytes) { return GC_malloc(bytes); }

void GC_free(void* object) {
  if (object == nullptr) return;
  heap::Object* const start = start_of(object);
  if (is_uncollectable(start)) uncount_uncollectable(heap::Heap::bytes_of(start));
  try {
    collector().free(start);
  } catch (const std::bad_alloc&) {
    abort_program("there is no memory to register a thread");
  }
}

}  // extern "C"

}  // namespace jackdaw::c_interface
