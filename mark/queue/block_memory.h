// BlockMemory: the memory of a queue in blocks: their descriptors and their entries.
//
// Addresses are reserved for all the tasks that a heap may bring; memory is taken where it is used. There are
// fewer blocks where the process's addresses are limited, and where the system refuses that size or counts
// reserved memory as used.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>

#include "base/page_array.h"
#include "base/page_memory.h"
#include "base/throw_or_end.h"
#include "mark/queue/block_ring.h"

namespace jackdaw::mark {

/// `Block` describes a block. All zero bytes must be a valid one.
template <typename Block, typename Task>
struct BlockMemory {
  /// This number of blocks is requested however scarce addresses are.
  static constexpr std::size_t kFewBlocks = 8;

  BlockRing ring;
  base::PageArray<Block> blocks;
  base::PageArray<Task> entries;

  /// Reserves `block_count` blocks of `block_size` tasks, or half as many blocks, and so on down to
  /// kFewBlocks. Throws std::invalid_argument when a size is out of range, std::bad_alloc when memory is
  /// short.
  static BlockMemory reserve(std::size_t block_count, std::size_t block_size) {
    for (;; block_count = std::max(block_count / 2, kFewBlocks)) {
      const BlockRing ring(block_count, block_size);
      const bool is_least = block_count <= kFewBlocks;
      if (!is_least && !base::PageMemory::can_spare(ring.capacity() * sizeof(Task))) continue;
      BlockMemory memory{ring, base::PageArray<Block>::reserve(block_count),
                         base::PageArray<Task>::reserve(ring.capacity())};
      if (!memory.blocks.empty() && !memory.entries.empty()) return memory;
      if (is_least) base::throw_or_end(std::bad_alloc());
    }
  }
};

}  // namespace jackdaw::mark
