// HeapSpace: the addresses of one heap, reserved at once and backed by memory chunk by chunk.
//
// As all objects of a heap lie in one range, a comparison says whether a word can be the address of one, and
// a flat table (BlockMap) says the rest. Reserved addresses cost nothing until they are backed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "heap/block_map.h"
#include "heap/chunk.h"
#include "heap/memory_nodes.h"

namespace jackdaw::heap {

/// One thread at a time allocates and releases; the map may be read by any.
class HeapSpace {
 public:
  /// Reserves addresses for chunks of `bytes` bytes in all, or for as many as the system allows (it may limit
  /// a process's addresses, see RLIMIT_AS). Throws std::bad_alloc when they are not enough for one chunk.
  /// `kinds` are those of the heap, and outlive this. `nodes`: where chunks lie.
  HeapSpace(std::size_t bytes, const KindTable& kinds, const MemoryNodes& nodes = {});
  /// Releases all chunks.
  ~HeapSpace();
  HeapSpace(const HeapSpace&) = delete;
  HeapSpace& operator=(const HeapSpace&) = delete;

  /// As many bytes as a heap reserves that has no limit: some times the machine's memory.
  static std::size_t default_bytes();

  /// A chunk with no block in use and all marks clear, or null when there is no memory or no stretch of
  /// addresses. `total_bytes` is at least kChunkBytes. The system is asked to back it with huge pages, which
  /// it may or may not do (`/sys/kernel/mm/transparent_hugepage/enabled`). The objects' memory is zero.
  /// `node`: which of the nodes' kinds of chunks. O(chunks).
  Chunk* allocate(std::size_t total_bytes, std::uint32_t node = 0);
  /// Makes a chunk longer, to `total_bytes` bytes, where it is. False, with nothing changed, when there is no
  /// memory or something else has the addresses. What is new is zero.
  bool extend(Chunk* chunk, std::size_t total_bytes);
  /// Gives a chunk's memory back to the system; no block of it may have an entry in the map.
  void release(Chunk* chunk);

  [[nodiscard]] const MemoryNodes& nodes() const { return nodes_; }
  [[nodiscard]] BlockMap& map() { return map_; }
  [[nodiscard]] const BlockMap& map() const { return map_; }

 private:
  enum class Piece : std::uint8_t { free, taken };

  // The first of `count` neighbouring free pieces of kChunkBytes, or as many as there are when none are.
  [[nodiscard]] std::size_t find_free(std::size_t count) const;
  [[nodiscard]] std::byte* address_of(std::size_t piece) const { return start_ + piece * kChunkBytes; }
  void mark_pieces(std::size_t first, std::size_t count, Piece state);

  std::byte* start_ = nullptr;
  std::span<std::byte> reserved_;  // from the system, before it was aligned
  std::span<Piece> pieces_;
  std::span<std::atomic<std::uint64_t>> entries_;
  std::span<std::byte> suspected_;
  BlockMap map_;
  const KindTable& kinds_;
  const MemoryNodes nodes_;
  std::size_t search_from_ = 0;  // no piece before this one is free
};

}  // namespace jackdaw::heap
