// Blocks: the chunks of a heap, and which of their blocks are free.
//
// A block is taken for slots, or for a part of a large object or a span, and released. The map knows which
// blocks are taken, and their usage is counted here. Chunks come from HeapSpace; callers decide which empty
// ones go back to it, and when.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "base/page_vector.h"
#include "heap/block_search.h"
#include "heap/budget.h"
#include "heap/chunk.h"
#include "heap/heap_space.h"
#include "heap/heap_usage.h"
#include "heap/kind.h"
#include "heap/memory_nodes.h"
#include "heap/poison.h"
#include "heap/taken_memory.h"

namespace jackdaw::heap {

/// The first object of a chunk starts right after the chunk's header.
inline constexpr std::size_t kHeaderBytes = kFirstBlock * kBlockBytes;

/// Returns the number of blocks that `bytes` bytes take.
constexpr std::size_t blocks_of(std::size_t bytes) { return (bytes + kBlockBytes - 1) / kBlockBytes; }

/// The heap's lock guards it, except where a function says otherwise.
class Blocks {
 public:
  /// Stands for the chunks of any node.
  static constexpr std::uint32_t kAnyNode = std::numeric_limits<std::uint32_t>::max();
  /// Stands for the bytes of all chunks.
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

  /// All parts referred to belong to the same heap. Throws std::bad_alloc when there are no addresses.
  Blocks(std::size_t limit_bytes, const MemoryNodes& nodes, const KindTable& kinds, const Poison& poison,
         HeapUsage& usage)
      : limit_bytes_(limit_bytes),
        poison_(poison),
        usage_(usage),
        space_(HeapSpace::default_bytes(), kinds, nodes) {}

  /// Any thread, without the lock.
  [[nodiscard]] const BlockMap& map() const { return space_.map(); }
  [[nodiscard]] BlockMap& map() { return space_.map(); }
  [[nodiscard]] std::span<const std::byte> addresses() const { return space_.addresses(); }
  HugePages& huge_pages() { return space_.huge_pages(); }
  [[nodiscard]] const MemoryNodes& nodes() const { return space_.nodes(); }
  [[nodiscard]] TakenMemoryNotes& taken_memory() { return taken_memory_; }
  [[nodiscard]] const TakenMemoryNotes& taken_memory() const { return taken_memory_; }
  /// Returns the bytes of addresses of all chunks, with or without memory. Any thread, without the lock.
  // Relaxed, here and where it is written under the lock: a total that publishes nothing.
  [[nodiscard]] std::uint64_t chunk_bytes() const { return chunk_bytes_.load(std::memory_order_relaxed); }
  /// Returns the bytes of blocks with memory, in use or not. Any thread, without the lock.
  [[nodiscard]] std::uint64_t bytes_with_memory() const { return usage_.used + usage_.free; }
  /// Returns the bytes of blocks that are kept: an empty chunk stays where the others would have fewer. Any
  /// thread, without the lock.
  [[nodiscard]] std::uint64_t kept_bytes() const { return kept_bytes_; }

  [[nodiscard]] std::span<Chunk* const> chunks() const { return chunks_.span(); }
  /// Returns the bytes of the chunks without their headers.
  [[nodiscard]] std::uint64_t block_bytes() const { return chunk_bytes() - header_bytes(); }
  /// Returns the bytes of the chunks' headers: mark bits and block tables.
  [[nodiscard]] std::uint64_t header_bytes() const { return chunks_.size() * kHeaderBytes; }
  [[nodiscard]] std::size_t limit() const { return limit_bytes_; }
  void set_limit(std::size_t bytes) { limit_bytes_ = bytes; }

  /// Whether the limit lets `blocks` more blocks be in use.
  [[nodiscard]] bool within_limit(std::size_t blocks) const {
    return usage_.used <= limit_bytes_ && blocks <= (limit_bytes_ - usage_.used) / kBlockBytes;
  }
  /// Whether `blocks` more blocks leave half of the limit.
  [[nodiscard]] bool within_half_of_limit(std::size_t blocks) const {
    return usage_.used + blocks * kBlockBytes <= limit_bytes_ / 2;
  }
  /// Whether the budget lets `blocks` more blocks have memory.
  [[nodiscard]] bool may_grow_by(std::size_t blocks, const Budget& budget) const {
    return blocks == 0 || budget.allows_growth_to(bytes_with_memory() + blocks * kBlockBytes, kept_bytes_);
  }
  /// Whether `untouched_blocks` blocks without memory may get some; if need be, other free blocks first give
  /// theirs back. True within limit and budget, unless the system refuses to take memory back.
  bool make_room_for(std::size_t untouched_blocks, const Budget& budget);

  /// Takes a free block and returns whether its memory is zero. The caller opens it.
  bool take(Chunk* chunk, std::size_t index, const BlockInfo& info, KindNumber kind);
  /// Has markers find objects in a block that was taken: sets its marks and its entry in the map. The thread
  /// that took it calls this before it allocates there, with or without the lock.
  void open(Chunk* chunk, std::size_t index, BlockShape shape) {
    JACKDAW_CHECK(!holds_objects(*chunk, index));
    if (index < kBlocksPerChunk) chunk->set_all_marks(index);
    map().set(reinterpret_cast<std::uintptr_t>(chunk->block_start(index)), shape);
  }
  /// Takes a block that is not in its chunk's table, behind the first kChunkBytes of an oversized chunk.
  void take_untabled() { usage_.used.add(kBlockBytes); }
  /// Releases blocks that were taken, opened or not. They keep their memory.
  void release(Chunk* chunk, std::size_t first, std::size_t count);
  /// Whether the map says that a block of a chunk, also of one that is longer than its table, holds objects.
  [[nodiscard]] bool holds_objects(Chunk& chunk, std::size_t block) const {
    return map().shape_at(reinterpret_cast<std::uintptr_t>(chunk.block_start(block))).holds_objects();
  }

  /// Returns the first chunk with `count` neighbouring free blocks, and their first in `first`; null when
  /// there is none. `node`: of that node alone, or kAnyNode.
  Chunk* find(std::size_t count, std::size_t& first, Blacklisted blacklisted, std::uint32_t node);
  /// Returns the chunk, among the first `end` chunks near this thread, of a free block that `taker` had
  /// before, and the block in `index`; null when there is none.
  Chunk* find_taken_before(BlockSearch::Taker taker, std::size_t end, std::size_t& index);
  /// Notes that blocks were released that find() may have passed.
  void find_from_start() { search_from_ = 0; }
  /// Notes that a sweep has come to a chunk, whose blocks find() and find_taken_before() may have passed.
  void look_again_from(std::size_t chunk) {
    search_from_ = std::min(search_from_, chunk);
    block_search_.look_again_from(chunk);
  }

  /// Adds a chunk of `total_bytes` bytes and returns it, or null when there is no memory. `swept` is the
  /// number of the last sweep.
  Chunk* add_chunk(std::size_t total_bytes, std::uint32_t node, std::uint32_t swept);
  /// Makes an oversized chunk longer, where it is; false, with nothing changed, when that is not possible.
  bool extend_chunk(Chunk* chunk, std::size_t total_bytes);
  /// Releases a chunk without blocks in use, and returns which of the chunks it was.
  std::size_t remove_chunk(Chunk* chunk);
  /// Releases empty chunks, but keeps those without which the blocks of all chunks would take less than
  /// `keep_bytes`, unless they are oversized. Returns the bytes of the chunks. O(chunks).
  std::uint64_t release_empty_chunks(std::uint64_t keep_bytes);
  /// Sets kept_bytes().
  void keep(std::uint64_t bytes) {
    kept_bytes_.subtract(kept_bytes_);
    kept_bytes_.add(bytes);
  }
  /// Gives the memory of free blocks back to the system. O(blocks).
  void give_back_free_blocks();
  /// Gives the memory of the free blocks of one huge page back, as long as `keep_bytes` are left with memory.
  /// Empty chunks come first, then those that allocation fills last. Returns the bytes. O(chunks).
  std::uint64_t give_back_some(std::uint64_t keep_bytes);
  /// Releases one empty chunk that has no memory to give back, if the blocks of the others take `keep_bytes`
  /// or more, and returns the bytes of its header, or 0. O(chunks).
  std::uint64_t release_spent_chunk(std::uint64_t keep_bytes);

 private:
  void release_chunk(Chunk* chunk);
  std::uint64_t count_given_back(std::size_t blocks);

  std::size_t limit_bytes_;
  const Poison& poison_;
  HeapUsage& usage_;
  HeapSpace space_;
  base::PageVector<Chunk*> chunks_;
  TakenMemoryNotes taken_memory_;
  ByteCount kept_bytes_;
  std::size_t search_from_ = 0;  // no chunk before this one has a free block
  BlockSearch block_search_;
  std::atomic<std::uint64_t> chunk_bytes_{0};
};

}  // namespace jackdaw::heap
