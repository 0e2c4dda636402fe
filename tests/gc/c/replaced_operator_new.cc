// A program whose operators new and delete are the collector's functions, as with libgccpp: ALLOCATE says
// which. It must start, and collect, though the collector itself is written in C++.
#include <cstddef>
#include <new>

#include "tests/gc/c/replaced_allocation.h"

using replaced_allocation::Call;

void* operator new(std::size_t bytes) {
  const Call call;
  void* const memory = ALLOCATE(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const Call call;
  return GC_memalign(static_cast<std::size_t>(alignment), bytes);
}
void operator delete(void* memory) noexcept { GC_FREE(memory); }
void operator delete[](void* memory) noexcept { GC_FREE(memory); }
void operator delete(void* memory, std::size_t) noexcept { GC_FREE(memory); }
void operator delete[](void* memory, std::size_t) noexcept { GC_FREE(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { GC_free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { GC_free(memory); }

int main() { return replaced_allocation::run(); }
