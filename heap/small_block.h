// SmallBlock: a block of small slots that the heap gives to an allocator.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jackdaw::heap {

class Chunk;

/// A block of slots, partly free, that one allocator owns.
struct SmallBlock {
  Chunk* chunk = nullptr;
  std::uint32_t index = 0;
  bool is_zero = false;         ///< its memory is zero, as it was never written to
  std::byte* spares = nullptr;  ///< further wholly free blocks that the allocator owns: see Heap::take_spare
};

}  // namespace jackdaw::heap
