// Allocation as malloc and free: gc.h, section 4.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "gc/c/allocate.h"
#include "gc/c/free_profiler.h"
#include "gc/c/interface.h"
#include "gc/c/log.h"
#include "gc/c/object_start.h"
#include "gc/c/uncollectable.h"
#include "gc/process/process_kinds.h"

namespace jackdaw::c_interface {

using gc::ProcessKinds;

namespace {

// The bytes from an address that an allocation function returned up to the object's end; 0 when it is no
// object's.
std::size_t bytes_from(void* address) {
  if (gc::OwnMemory::owns(address)) return gc::OwnMemory::bytes_of(address);
  heap::Object* const start = start_of(address);
  if (start == nullptr) return 0;
  const auto* const end = reinterpret_cast<std::byte*>(start) + heap::Heap::bytes_of(start);
  return static_cast<std::size_t>(end - static_cast<std::byte*>(address));
}

// The calling thread is registered. A small object may be the first of its block.
bool is_surely_small(void* object) {
  if (may_only_be_small(object)) [[likely]]
    return true;
  const heap::BlockMap& map = gc::ProcessCollector::instance().heap().map();
  return map.shape_at(reinterpret_cast<std::uintptr_t>(object)).holds_slots();
}

// The calling thread is registered.
void free_object(heap::Object* object) {
  if (has_free_profiler) [[unlikely]]
    GC_free_profiler_hook(object);
  const heap::Freed freed = gc::ProcessCollector::instance().free(object);
  if (!freed.was_collectable) count_uncollectable(-freed.bytes);
}

[[gnu::noinline]] void free_any(void* object) {
  if (object == nullptr) return;
  if (gc::OwnMemory::owns(object)) {
    gc::OwnMemory::free(object);
    return;
  }
  // Objects freed during the collector's own work are left to a collection, as the heap may be locked.
  if (gc::ThreadRegistry::current() == nullptr && gc::OwnWork::is_under_way()) return;
  registered_collector();
  heap::Object* const start = start_of(object);
  if (start == nullptr) abort_program("GC_free was given an address that is no object's");
  free_object(start);
}

}  // namespace

#pragma GCC visibility push(default)
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
  return allocate(bytes, ProcessKinds::kWords, heap::LargeAddresses::near_start);
}

void* GC_malloc_atomic_ignore_off_page(std::size_t bytes) {
  return allocate(bytes, ProcessKinds::kData, heap::LargeAddresses::near_start);
}

void* GC_malloc_stubborn(std::size_t bytes) { return GC_malloc(bytes); }

void GC_free(void* object) {
  const bool is_usual = gc::ThreadRegistry::current() != nullptr && is_surely_small(object);
  if (!is_usual || gc::OwnMemory::owns(object)) [[unlikely]]
    return free_any(object);
  free_object(static_cast<heap::Object*>(object));
}

void GC_freezero(void* object, std::size_t bytes) {
  if (object == nullptr) return;
  std::memset(object, 0, std::min(bytes, bytes_from(object)));
  GC_reachable_here(object);  // the bytes are cleared, though nothing reads them
  GC_free(object);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
