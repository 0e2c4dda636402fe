// Sweeper: makes the memory of unmarked objects free, chunk by chunk.
//
// A sweep makes the allocation bits of a block a copy of its marks and sorts the blocks: the wholly free ones
// are released, the partly free ones go into PartlyFree, and full ones into no list. It has a number, which
// chunks and blocks note when they were swept; a block with that number was swept already, or was taken since
// the sweep began. Free slots are found, and cleared, when an allocator takes the block.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "heap/blocks.h"
#include "heap/chunk.h"
#include "heap/kind.h"
#include "heap/partly_free.h"
#include "heap/poison.h"
#include "heap/recent_use.h"

namespace jackdaw::heap {

/// The result of a sweep.
struct SweepResult {
  std::uint64_t live_objects = 0;
  std::uint64_t live_bytes = 0;       ///< their slots and blocks
  std::uint64_t unscanned_bytes = 0;  ///< their part in objects without references
  std::uint64_t released_bytes = 0;   ///< chunks given back to the allocator below
};

/// Estimates how many allocators took blocks at the same time, from how many each took between two sweeps:
/// the sum divided by the most that one took.
class BusyAllocators {
 public:
  void add(std::size_t blocks) {
    all_ += blocks;
    most_ = std::max(most_, blocks);
  }
  /// At least 1; nothing when too few blocks were taken to tell.
  [[nodiscard]] std::optional<std::uint32_t> count() const {
    if (all_ < kFewBlocks) return std::nullopt;
    return static_cast<std::uint32_t>((all_ + most_ / 2) / most_);
  }

 private:
  static constexpr std::size_t kFewBlocks = 16;

  std::size_t all_ = 0;
  std::size_t most_ = 0;
};

/// Under the heap's lock, but for what says otherwise.
class Sweeper {
 public:
  /// All parts referred to belong to the same heap.
  Sweeper(Blocks& blocks, PartlyFree& partly_free, const KindTable& kinds, const Poison& poison)
      : blocks_(blocks), partly_free_(partly_free), kinds_(kinds), poison_(poison) {}

  /// A sweep begins, while no thread allocates: what is marked is known, and nothing is free yet.
  void begin(std::uint64_t used_bytes);
  [[nodiscard]] bool is_sweeping() const { return unswept_from_ != kNoChunk; }
  /// The number of the last sweep that began. Any thread, without the lock.
  // Relaxed: changed while the program is stopped.
  [[nodiscard]] std::uint32_t number() const { return number_.load(std::memory_order_relaxed); }
  /// The figures of the last sweep, as far as it has come.
  [[nodiscard]] const SweepResult& result() const { return result_; }
  /// How many of the chunks, from the first on, were swept.
  [[nodiscard]] std::size_t swept_chunks() const { return std::min(blocks_.chunks().size(), unswept_from_); }

  /// Sweeps the next chunk, if there is one; true when none is left. With the last one empty chunks go.
  bool sweep_next_chunk();
  /// Sweeps a block that an allocator goes on with: the sweep passes it, as objects come into it from now on.
  void sweep_owned(Chunk* chunk, std::size_t index);
  /// A chunk was removed, which had that place among the chunks.
  void note_removed(std::size_t chunk) {
    if (is_sweeping() && chunk < unswept_from_) --unswept_from_;
  }
  /// Whether threads may free small objects of a kind while others allocate or sweep in their blocks. Any
  /// thread, without the lock.
  [[nodiscard]] bool are_freed_by_others(KindNumber kind) const {
    return !kinds_[kind].is_collectable || poison_.is_on();
  }

 private:
  static constexpr std::size_t kNoChunk = ~std::size_t{0};

  void sweep_chunk(Chunk* chunk);
  void sweep_small(Chunk* chunk, std::size_t index);
  void keep_marked(Chunk* chunk, std::size_t index, std::uint32_t live);

  Blocks& blocks_;
  PartlyFree& partly_free_;
  const KindTable& kinds_;
  const Poison& poison_;
  std::size_t unswept_from_ = kNoChunk;  // the first chunk that the sweep has not come to
  std::atomic<std::uint32_t> number_{0};
  RecentUse recent_use_;  // no empty chunk is released below what was in use lately
  SweepResult result_;
};

}  // namespace jackdaw::heap
