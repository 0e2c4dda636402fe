// HeapSpace: the range of addresses of one heap, and the chunks in it.
//
// As all objects of a heap lie in one range, a comparison says whether a word can be the address of one, and
// a flat table (BlockMap) says the rest. The range is not reserved, since a process's addresses may be
// limited (RLIMIT_AS), also later on: it lies where the system puts other mappings last, and a chunk goes
// where nothing else is, as do the map's tables, which become longer with the heap. Words that lead to what
// others have there lead to no object.
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
  /// Finds a range for chunks of `bytes` bytes in all, or of as many as there is room for. Throws
  /// std::bad_alloc when there is none for one chunk. `kinds` are those of the heap, and outlive this.
  /// `nodes`: where chunks lie.
  HeapSpace(std::size_t bytes, const KindTable& kinds, const MemoryNodes& nodes = {});
  /// Releases all chunks.
  ~HeapSpace();
  HeapSpace(const HeapSpace&) = delete;
  HeapSpace& operator=(const HeapSpace&) = delete;

  /// The length of the range of any heap: some times the machine's memory.
  static std::size_t default_bytes();

  /// A chunk with no block in use and all marks clear, or null when there is no memory or no range of
  /// addresses. It has `least_bytes` bytes, a multiple of kBlockBytes that is more than a chunk's header, or
  /// up to the end of their last page. The system is asked to back it with huge pages, but for the first
  /// chunk (HugePages), which it may or may not do (`/sys/kernel/mm/transparent_hugepage/enabled`). The
  /// objects' memory is zero. `node`: which of the nodes' kinds of chunks. O(chunks).
  Chunk* allocate(std::size_t least_bytes, std::uint32_t node = 0);
  /// Makes a chunk longer, to `least_bytes` bytes and up to the end of their last page, where it is. False,
  /// with nothing changed, when there is no memory or something else has the addresses. What is new is zero.
  bool extend(Chunk* chunk, std::size_t least_bytes);
  /// Gives a chunk's memory back to the system; no block of it may have an entry in the map. Its header stays
  /// readable, and zero: a thread that looked into the map before finds no object there.
  void release(Chunk* chunk);

  [[nodiscard]] const MemoryNodes& nodes() const { return nodes_; }
  /// All addresses that objects can ever have. The map covers the first of them, as far as there ever were
  /// chunks, and some more.
  [[nodiscard]] std::span<const std::byte> addresses() const { return range_; }
  [[nodiscard]] BlockMap& map() { return map_; }
  [[nodiscard]] const BlockMap& map() const { return map_; }

 private:
  enum class PieceState : std::uint8_t {
    free,
    taken,
    occupied,  ///< by another mapping, when it was last tried
  };
  struct Piece {
    PieceState state;
    bool has_header;  ///< the header of a chunk that was released is left there, and zero
  };

  // The first of `count` neighbouring free pieces of kChunkBytes, or as many as there are when none are.
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

  const std::span<std::byte> range_;  // of addresses; the map's tables lie behind it
  const std::span<Piece> pieces_;
  BlockMap map_;
  const KindTable& kinds_;
  const MemoryNodes nodes_;
  HugePages huge_pages_;
  std::size_t covered_ = 0;      // pieces, by the map
  std::size_t search_from_ = 0;  // no piece before this one is free
  std::size_t occupied_ = 0;     // pieces
};

}  // namespace jackdaw::heap
