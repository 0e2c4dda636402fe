// ChunkMemory: gets the memory of chunks from mimalloc and gives it back.
#pragma once

#include <cstddef>

#include "heap/chunk.h"

namespace jackdaw::heap {

/// Chunks are aligned to kChunkBytes. The system is asked to back them with huge pages, which it may or may
/// not do
/// (`/sys/kernel/mm/transparent_hugepage/enabled`). The objects' memory is not cleared here. Any thread.
class ChunkMemory {
 public:
  /// A chunk with no block in use and all marks clear, or null when there is no memory. `total_bytes` is at
  /// least kChunkBytes.
  static Chunk* allocate(std::size_t total_bytes);
  /// Gives a chunk back.
  static void release(Chunk* chunk);
};

}  // namespace jackdaw::heap
