// Sweeper: frees the memory of unmarked objects, chunk by chunk.
//
// A sweep copies the marks of a block to its allocation bits and sorts the blocks: wholly free ones are
// released, partly free ones go to PartlyFree, and full ones to no list; spans go to Spans likewise. Each
// sweep has a number, which chunks and blocks note when they are swept; a block with the present number was
// swept already, or was taken since the sweep began. Free slots are found, and cleared, when they are taken.
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
#include "heap/spans.h"

namespace jackdaw::heap {

/// The result of a sweep.
struct SweepResult {
  std::uint64_t live_objects = 0;
  std::uint64_t live_bytes = 0;       ///< bytes of their slots and blocks
  std::uint64_t unscanned_bytes = 0;  ///< the part of live_bytes in objects without references
  std::uint64_t released_bytes = 0;   ///< bytes of chunks of dead oversized objects
};

/// Estimates how many allocators took blocks at the same time, from how many each took between two sweeps:
/// the sum divided by the largest.
class BusyAllocators {
 public:
  void add(std::size_t blocks) {
    all_ += blocks;
    most_ = std::max(most_, blocks);
  }
  /// Returns the estimate, at least 1, or nothing when too few blocks were taken.
  [[nodiscard]] std::optional<std::uint32_t> count() const {
    if (all_ < kFewBlocks) return std::nullopt;
    return static_cast<std::uint32_t>((all_ + most_ / 2) / most_);
  }

 private:
  static constexpr std::size_t kFewBlocks = 16;

  std::size_t all_ = 0;
  std::size_t most_ = 0;
};

/// The heap's lock guards it, except where a function says otherwise.
class Sweeper {
 public:
  /// All parts referred to belong to the same heap.
  Sweeper(Blocks& blocks, PartlyFree& partly_free, Spans& spans, const KindTable& kinds, const Poison& poison)
      : blocks_(blocks), partly_free_(partly_free), spans_(spans), kinds_(kinds), poison_(poison) {}

  /// Begins a sweep, while no thread allocates: marks are final, and nothing is free yet.
  void begin();
  [[nodiscard]] bool is_sweeping() const { return unswept_from_ != kNoChunk; }
  /// Returns the number of the last sweep that began. Any thread, without the lock.
  // Relaxed: it changes only while the program is stopped.
  [[nodiscard]] std::uint32_t number() const { return number_.load(std::memory_order_relaxed); }
  /// Returns the figures of the last sweep, as far as it has come.
  [[nodiscard]] const SweepResult& result() const { return result_; }
  /// Returns how many of the chunks, from the first on, were swept.
  [[nodiscard]] std::size_t swept_chunks() const { return std::min(blocks_.chunks().size(), unswept_from_); }

  /// Sweeps the next chunk, if there is one; true when none is left. The last one has the chunks
  /// of dead oversized objects released.
  bool sweep_next_chunk();
  /// Whether the sweep under way has still to come to a block, or to the span that starts with it.
  [[nodiscard]] bool is_unswept(const Chunk& chunk, std::size_t index) const {
    return chunk.swept() != number() && chunk.block(index).swept != number();
  }
  /// Sweeps a block that an allocator keeps, at once: objects come into it from now on, so the sweep must
  /// pass it.
  void sweep_owned(Chunk* chunk, std::size_t index);
  /// Notes that the chunk with that number was removed.
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
  void sweep_span(Chunk* chunk, std::size_t index);
  void keep_marked(Chunk* chunk, std::size_t index, std::uint32_t live);

  Blocks& blocks_;
  PartlyFree& partly_free_;
  Spans& spans_;
  const KindTable& kinds_;
  const Poison& poison_;
  std::size_t unswept_from_ = kNoChunk;  // the first chunk that the sweep has not come to
  std::atomic<std::uint32_t> number_{0};
  SweepResult result_;
};

}  // namespace jackdaw::heap
