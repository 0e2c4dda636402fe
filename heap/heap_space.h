// HeapSpace: the range of addresses of one heap, and the chunks in it.
//
// All objects of a heap lie in one range, so a comparison says whether a word can be the address of one, and
// a flat table (BlockMap) says the rest. The range is not reserved, since a process's addresses may be
// limited at any time (RLIMIT_AS). It lies where the system places other mappings last. Chunks, and the map's
// tables, which grow with the heap, go where nothing else is mapped; words that point to other mappings there
// refer to no object.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "heap/block_map.h"
#include "heap/chunk.h"
#include "heap/huge_pages.h"
#include "heap/memory_nodes.h"

namespace jackdaw::heap {

/// One thread at a time allocates and releases; the map may be read by any.
class HeapSpace {
 public:
  /// Finds a range for chunks of `bytes` bytes in all, or of fewer where there is less room. Throws
  /// std::bad_alloc when there is none for one chunk. `kinds` are the heap's, and outlive this. `nodes`:
  /// where chunks lie.
  HeapSpace(std::size_t bytes, const KindTable& kinds, const MemoryNodes& nodes = {});
  /// Releases all chunks.
  ~HeapSpace();
  HeapSpace(const HeapSpace&) = delete;
  HeapSpace& operator=(const HeapSpace&) = delete;

  /// Returns the length of a range for a heap without a limit: some times the machine's memory.
  static std::size_t default_bytes();

  /// Returns a zeroed chunk of node `node` with no block in use and all marks clear, or null when there is no
  /// memory or no room. It has `least_bytes` bytes, a multiple of kBlockBytes above a chunk's header, rounded
  /// up to whole pages. All chunks but the first ask for huge pages (HugePages), which the system may refuse
  /// (`/sys/kernel/mm/transparent_hugepage/enabled`). O(chunks).
  Chunk* allocate(std::size_t least_bytes, std::uint32_t node = 0);
  /// Makes a chunk longer in place, to `least_bytes` bytes rounded up to whole pages. False, with nothing
  /// changed, when there is no memory or something else has the addresses. New memory is zero.
  bool extend(Chunk* chunk, std::size_t least_bytes);
  /// Returns a chunk's memory to the system; no block of it may have an entry in the map. Its header stays
  /// readable, and zero: a thread that read the map before finds no object there.
  void release(Chunk* chunk);

  HugePages& huge_pages() { return huge_pages_; }
  [[nodiscard]] const MemoryNodes& nodes() const { return nodes_; }
  /// Returns all addresses that objects can ever have. The map covers the first of them, as far as there ever
  /// were chunks, and a few more.
  [[nodiscard]] std::span<const std::byte> addresses() const { return range_; }
  [[nodiscard]] BlockMap& map() { return map_; }
  [[nodiscard]] const BlockMap& map() const { return map_; }

 private:
  enum class PieceState : std::uint8_t {
    free,
    taken,
    occupied,  ///< another mapping was there at the last try
  };
  struct Piece {
    PieceState state;
    bool has_header;  ///< the zeroed header of a released chunk is mapped there
  };

  // Returns the first of `count` neighbouring free pieces of kChunkBytes, or the number of pieces when there
  // are none.
  [[nodiscard]] std::size_t find_free(std::size_t count) const;
  [[nodiscard]] std::byte* address_of(std::size_t piece) const { return range_.data() + piece * kChunkBytes; }
  [[nodiscard]] std::size_t piece_at(const void* address) const;
  void mark_pieces(std::size_t first, std::size_t count, PieceState state);
  template <typename Function>
  std::byte* for_each_gap(std::byte* begin, std::byte* end, Function function) const;
  std::byte* map_gaps(std::byte* begin, std::byte* end) const;
  [[nodiscard]] std::size_t map_pieces(std::size_t total_bytes);
  void try_occupied_again();
  [[nodiscard]] std::span<std::byte> entries_of(std::size_t first, std::size_t end) const;
  [[nodiscard]] std::span<std::byte> blacklist_of(std::size_t first, std::size_t end) const;
  bool cover(std::size_t pieces);

  const std::span<std::byte> range_;  // the addresses for chunks; the map's tables lie behind it
  const std::span<Piece> pieces_;
  BlockMap map_;
  const KindTable& kinds_;
  const MemoryNodes nodes_;
  HugePages huge_pages_;
  std::size_t covered_ = 0;      // pieces that the map covers
  std::size_t search_from_ = 0;  // no piece before this one is free
  std::size_t occupied_ = 0;     // pieces in state occupied
};

}  // namespace jackdaw::heap
