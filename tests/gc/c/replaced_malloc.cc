// A program whose malloc and its like are the collector's functions, so that the C library's own memory is
// the collector's: its streams, and what it keeps for each thread.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "tests/gc/c/replaced_allocation.h"

extern "C" {

void* malloc(std::size_t bytes) { return GC_malloc_uncollectable(bytes); }
void* calloc(std::size_t count, std::size_t bytes) {
  if (count != 0 && bytes > std::numeric_limits<std::size_t>::max() / count) return nullptr;
  return GC_malloc_uncollectable(count * bytes);
}
void* realloc(void* memory, std::size_t bytes) {
  return memory == nullptr ? GC_malloc_uncollectable(bytes) : GC_realloc(memory, bytes);
}
void free(void* memory) { GC_free(memory); }
void* memalign(std::size_t alignment, std::size_t bytes) { return GC_memalign(alignment, bytes); }
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return GC_memalign(alignment, bytes); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  return GC_posix_memalign(memory, alignment, bytes);
}
}

int main() { return replaced_allocation::run(); }
