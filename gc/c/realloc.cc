// GC_realloc and GC_reallocf: a longer or shorter object, in place where it can be.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <new>

#include "gc/c/allocate.h"
#include "gc/c/log.h"
#include "gc/c/object_start.h"
#include "gc/c/uncollectable.h"

namespace jackdaw::c_interface {

namespace {

// Clears the bytes behind an object's new end if its kind is cleared, so that it may grow again.
void clear_tail(heap::Object* start, std::size_t from, std::size_t end) {
  if (from >= end) return;
  const heap::Chunk& chunk = *heap::Chunk::of(start);
  if (chunk.kind_table()[chunk.kind_of(start)].is_cleared)
    std::memset(reinterpret_cast<std::byte*>(start) + from, 0, end - from);
}

// Memory that the collector allocated for itself stays in OwnMemory.
void* resize_own(void* memory, std::size_t bytes) {
  const std::size_t before = gc::OwnMemory::bytes_of(memory);
  if (bytes <= before) return memory;
  void* const copy = gc::OwnMemory::allocate(bytes);
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, memory, before);
  gc::OwnMemory::free(memory);
  return copy;
}

bool resize_large(heap::Object* start, std::size_t bytes) {
  try {
    return collector().resize_large(start, bytes);
  } catch (const std::bad_alloc&) {  // the thread could not be registered
    return false;
  }
}

// Changes the object's length to `bytes` in place; false, with nothing changed, when that is not possible.
bool resize_in_place(heap::Object* start, std::size_t bytes) {
  if (gc::OwnWork::is_under_way()) return false;
  const std::size_t before = heap::Heap::bytes_of(start);
  const bool is_kept = is_uncollectable(start);
  const std::size_t whole = is_kept ? bytes : whole_bytes(bytes);
  if (whole < bytes) return false;
  const bool is_small = before <= heap::kLargestSmallBytes;
  if (is_small ? !heap::suits_slot(whole, before) : !resize_large(start, whole)) return false;
  const std::size_t after = heap::Heap::bytes_of(start);
  clear_tail(start, bytes, std::min(before, after));
  if (is_kept) count_uncollectable(after - before);
  return true;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void* GC_realloc(void* object, std::size_t bytes) {
  if (object == nullptr) return GC_malloc(bytes);
  if (bytes == 0) {
    GC_free(object);
    return nullptr;
  }
  if (gc::OwnMemory::owns(object)) return resize_own(object, bytes);
  heap::Object* const start = start_of(object);
  if (start == nullptr) abort_program("GC_realloc was given an address that is no object's");
  const auto offset =
      static_cast<std::size_t>(static_cast<std::byte*>(object) - reinterpret_cast<std::byte*>(start));
  if (bytes <= std::numeric_limits<std::size_t>::max() - offset && resize_in_place(start, offset + bytes))
    return object;
  const heap::KindNumber kind = heap::Chunk::of(start)->kind_of(start);
  void* const copy =
      is_uncollectable(start) ? allocate_uncollectable(bytes, kind) : allocate_counted(bytes, kind);
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, object, std::min(heap::Heap::bytes_of(start) - offset, bytes));
  GC_free(object);
  return copy;
}

void* GC_reallocf(void* object, std::size_t bytes) {
  void* const resized = GC_realloc(object, bytes);
  if (resized == nullptr && bytes != 0) GC_free(object);
  return resized;
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
