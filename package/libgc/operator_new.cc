// The operators new and delete of programs that are linked with libgccpp: their memory is scanned as a root
// and lives until it is deleted.
#include <cstddef>
#include <new>

#include "jackdaw/gc.h"

namespace {

void* allocate(std::size_t bytes) {
  void* const memory = GC_malloc_uncollectable(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// NOLINTBEGIN(misc-new-delete-overloads): the forms that libgc replaces, and no others.
#pragma GCC visibility push(default)

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }

void operator delete(void* memory) noexcept { GC_free(memory); }
void operator delete[](void* memory) noexcept { GC_free(memory); }
void operator delete(void* memory, std::size_t) noexcept { GC_free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { GC_free(memory); }

#pragma GCC visibility pop
// NOLINTEND(misc-new-delete-overloads)
