#include "heap/chunk_directory.h"

#include <mimalloc.h>

#include <new>

namespace jackdaw::heap {

namespace {

// The 16 MiB pieces that a chunk covers: the first, and one past the last.
struct Pieces {
  std::uintptr_t first;
  std::uintptr_t end;
};

Pieces pieces_of(const Chunk* chunk) {
  const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(chunk);
  return {start / kChunkBytes, (start + chunk->total_bytes() + kChunkBytes - 1) / kChunkBytes};
}

}  // namespace

ChunkDirectory::~ChunkDirectory() {
  // Relaxed: nobody else uses the directory any more.
  for (auto& leaf : leaves_) mi_free(leaf.load(std::memory_order_relaxed));
}

ChunkDirectory::Leaf* ChunkDirectory::leaf_for(std::uintptr_t piece) {
  std::atomic<Leaf*>& entry = leaves_[piece / kLeafEntries];
  // Relaxed: only the one thread that inserts and erases writes entries.
  Leaf* leaf = entry.load(std::memory_order_relaxed);
  if (leaf != nullptr) return leaf;
  void* const memory = mi_malloc(sizeof(Leaf));
  if (memory == nullptr) return nullptr;
  leaf = new (memory) Leaf{};
  // Release: pairs with the acquire in find.
  entry.store(leaf, std::memory_order_release);
  return leaf;
}

bool ChunkDirectory::insert(Chunk* chunk) {
  const Pieces pieces = pieces_of(chunk);
  for (std::uintptr_t piece = pieces.first; piece < pieces.end; ++piece) {
    if (leaf_for(piece) == nullptr) return false;
  }
  set(chunk, chunk);
  return true;
}

void ChunkDirectory::erase(const Chunk* chunk) { set(chunk, nullptr); }

void ChunkDirectory::set(const Chunk* chunk, Chunk* value) {
  const Pieces pieces = pieces_of(chunk);
  for (std::uintptr_t piece = pieces.first; piece < pieces.end; ++piece) {
    // Relaxed load: as in leaf_for. Release store: pairs with the acquire in find.
    Leaf& leaf = *leaves_[piece / kLeafEntries].load(std::memory_order_relaxed);
    leaf[piece % kLeafEntries].store(value, std::memory_order_release);
  }
}

}  // namespace jackdaw::heap
