#include "heap/chunk_memory.h"

#include <mimalloc.h>
#include <sys/mman.h>

#include <new>

namespace jackdaw::heap {

Chunk* ChunkMemory::allocate(std::size_t total_bytes) {
  void* const memory = mi_malloc_aligned(total_bytes, kChunkBytes);
  if (memory == nullptr) return nullptr;
  // Advice only: where the system refuses, the heap works with small pages.
  madvise(memory, total_bytes, MADV_HUGEPAGE);
  return new (memory) Chunk(total_bytes);
}

void ChunkMemory::release(Chunk* chunk) {
  chunk->~Chunk();
  mi_free(chunk);
}

}  // namespace jackdaw::heap
