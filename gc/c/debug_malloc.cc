// Allocation with checks: gc.h, section 5.
#include <algorithm>
#include <cstring>
#include <cwchar>

#include "gc/c/checked_objects.h"
#include "gc/c/interface.h"
#include "gc/c/kinds.h"
#include "gc/c/log.h"
#include "gc/c/object_start.h"
#include "gc/process/process_kinds.h"

namespace jackdaw::c_interface {

namespace {

using gc::ProcessKinds;
using heap::LargeAddresses;

// Returns a copy of `bytes` bytes with `zeros` zeros behind it.
void* copied(const void* from, std::size_t bytes, std::size_t zeros, SourcePlace place) {
  auto* const copy = static_cast<std::byte*>(allocate_checked(bytes + zeros, ProcessKinds::kData, place));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, from, bytes);
  std::memset(copy + bytes, 0, zeros);
  return copy;
}

// Returns the object at `address`, which the program passed to `function`. An address of no object ends the
// program.
heap::Object* object_for(const char* function, void* address) {
  heap::Object* const object = object_at(address);
  if (object != nullptr) return object;
  log_line("jackdaw: %s was given %p, which is no object's address, or that of one that was freed", function,
           address);
  abort_program("an address was handed back that is no object's");
}

// Whether the object was allocated with checks and freed, and its memory is not used again; if so, writes a
// line to the log.
bool was_freed(const char* function, heap::Object* object, const void* address) {
  if (!is_checked(object) || reinterpret_cast<CheckedHeader*>(object)->front_guard != 0) return false;
  log_line("jackdaw: %s was given %p, which was freed before", function, address);
  return true;
}

// Returns the object's header, or null, with a line to the log, when it was allocated without checks or
// starts elsewhere.
CheckedHeader* checked_header_for(const char* function, heap::Object* object, const void* address) {
  auto* const header = reinterpret_cast<CheckedHeader*>(object);
  if (is_checked(object) && header->start() == address) return header;
  log_line("jackdaw: %s was given %p, which no allocation with checks returned", function, address);
  return nullptr;
}

// Returns the kind of whose checked variant the object is.
heap::KindNumber plain_kind_of(CheckedHeader& header) {
  return origin_of(heap::Chunk::of(&header)->kind_of(&header));
}

// Returns the bytes of the object that starts at `address`, with checks or without; 0 when none does.
std::size_t bytes_of_live(void* address) {
  if (const CheckedHeader* const header = checked_header_of(address)) return header->bytes;
  heap::Object* const object = object_at(address);
  return object == address && !is_checked(object) ? heap::Heap::bytes_of(object) : 0;
}

void free_checked(CheckedHeader& header) {
  header.front_guard = 0;
  GC_free(&header);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

constinit std::size_t GC_debug_header_size = sizeof(CheckedHeader);

std::size_t GC_get_debug_header_size() { return sizeof(CheckedHeader); }

void* GC_debug_malloc(std::size_t bytes, const char* file, int line) {
  return allocate_checked(bytes, ProcessKinds::kWords, {file, line});
}

void* GC_debug_malloc_atomic(std::size_t bytes, const char* file, int line) {
  return allocate_checked(bytes, ProcessKinds::kData, {file, line});
}

void* GC_debug_malloc_uncollectable(std::size_t bytes, const char* file, int line) {
  return allocate_checked(bytes, ProcessKinds::kUncollectableWords, {file, line});
}

void* GC_debug_malloc_atomic_uncollectable(std::size_t bytes, const char* file, int line) {
  return allocate_checked(bytes, ProcessKinds::kUncollectableData, {file, line});
}

void* GC_debug_malloc_ignore_off_page(std::size_t bytes, const char* file, int line) {
  return allocate_checked(bytes, ProcessKinds::kWords, {file, line}, LargeAddresses::near_start);
}

void* GC_debug_malloc_atomic_ignore_off_page(std::size_t bytes, const char* file, int line) {
  return allocate_checked(bytes, ProcessKinds::kData, {file, line}, LargeAddresses::near_start);
}

void* GC_debug_malloc_stubborn(std::size_t bytes, const char* file, int line) {
  return GC_debug_malloc(bytes, file, line);
}

void* GC_debug_generic_or_special_malloc(std::size_t bytes, int kind, const char* file, int line) {
  return allocate_checked(bytes, heap_kind(kind), {file, line});
}

void* GC_debug_realloc(void* object, std::size_t bytes, const char* file, int line) {
  if (object == nullptr) return GC_debug_malloc(bytes, file, line);
  if (bytes == 0) {
    GC_debug_free(object);
    return nullptr;
  }
  if (gc::OwnMemory::owns(object)) return GC_realloc(object, bytes);
  heap::Object* const start = object_for("GC_debug_realloc", object);
  if (was_freed("GC_debug_realloc", start, object)) return GC_debug_malloc(bytes, file, line);
  CheckedHeader* const header = checked_header_for("GC_debug_realloc", start, object);
  if (header == nullptr) {
    if (is_checked(start) || start_of(object) != start) abort_program("GC_debug_realloc cannot go on");
    return GC_realloc(object, bytes);
  }
  report_if_smashed(*header);
  void* const copy = allocate_checked(bytes, plain_kind_of(*header), {file, line});
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, object, std::min(bytes, header->bytes));
  free_checked(*header);
  return copy;
}

void GC_debug_free(void* object) {
  if (object == nullptr) return;
  if (gc::OwnMemory::owns(object)) {
    GC_free(object);
    return;
  }
  heap::Object* const start = object_for("GC_debug_free", object);
  if (was_freed("GC_debug_free", start, object)) return;
  CheckedHeader* const header = checked_header_for("GC_debug_free", start, object);
  if (header == nullptr) {
    GC_free(start);
    return;
  }
  report_if_smashed(*header);
  free_checked(*header);
}

char* GC_debug_strdup(const char* string, const char* file, int line) {
  return string == nullptr ? nullptr : GC_debug_strndup(string, std::strlen(string), file, line);
}

char* GC_debug_strndup(const char* string, std::size_t count, const char* file, int line) {
  return static_cast<char*>(copied(string, strnlen(string, count), 1, {file, line}));
}

wchar_t* GC_debug_wcsdup(const wchar_t* string, const char* file, int line) {
  return static_cast<wchar_t*>(
      copied(string, std::wcslen(string) * sizeof(wchar_t), sizeof(wchar_t), {file, line}));
}

void* GC_debug_generic_malloc(std::size_t bytes, int kind, const char* file, int line) {
  return GC_debug_generic_or_special_malloc(bytes, kind, file, line);
}

void* GC_debug_reallocf(void* object, std::size_t bytes, const char* file, int line) {
  void* const resized = GC_debug_realloc(object, bytes, file, line);
  if (resized == nullptr && bytes != 0) GC_debug_free(object);
  return resized;
}

void GC_debug_freezero(void* object, std::size_t bytes) {
  if (gc::OwnMemory::owns(object)) return GC_freezero(object, bytes);
  if (object != nullptr) {
    std::memset(object, 0, std::min(bytes, bytes_of_live(object)));
    GC_reachable_here(object);  // the bytes are cleared, though nothing reads them
  }
  GC_debug_free(object);
}

void* GC_debug_malloc_replacement(std::size_t bytes) { return GC_debug_malloc(bytes, nullptr, 0); }

void* GC_debug_realloc_replacement(void* object, std::size_t bytes) {
  return GC_debug_realloc(object, bytes, nullptr, 0);
}

void* GC_debug_malloc_uncollectable_replacement(std::size_t bytes) {
  return GC_debug_malloc_uncollectable(bytes, nullptr, 0);
}

void* GC_debug_reallocf_replacement(void* object, std::size_t bytes) {
  return GC_debug_reallocf(object, bytes, nullptr, 0);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
