// FreeRunStarts: where the search for neighbouring free blocks of a chunk begins.
//
// For each length of a run up to kExact, and for longer ones by powers of two, it keeps a block before which
// no such run begins. So a search need not start from the first block until one is released.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "heap/layout.h"

namespace jackdaw::heap {

class FreeRunStarts {
 public:
  /// Finds the first run of `count` blocks for which `is_free(block)` is true, from block `least` on; 0 when
  /// there is none. Between two calls of forget() blocks may be taken but not freed.
  template <typename IsFree>
  std::size_t find(std::size_t count, std::size_t least, IsFree is_free) {
    if (std::exchange(is_forgotten_, false)) starts_ = {};
    const std::size_t shortest = count <= kExact ? count : std::bit_floor(count);
    std::uint16_t& start = starts_[count <= kExact ? count : kExact - kExactWidth + std::bit_width(count)];
    std::size_t run = 0;
    bool is_noted = false;
    for (std::size_t block = start < least ? least : start; block < kBlocksPerChunk; ++block) {
      run = is_free(block) ? run + 1 : 0;
      if (run == shortest && !is_noted) {
        start = static_cast<std::uint16_t>(block + 1 - shortest);
        is_noted = true;
      }
      if (run == count) return block + 1 - count;
    }
    if (!is_noted) start = kBlocksPerChunk;
    return 0;
  }
  /// Forgets all, as blocks were released or count as free again for another reason. A sweep does so for each
  /// block.
  void forget() { is_forgotten_ = true; }

 private:
  static constexpr std::size_t kExact = 31;
  static constexpr std::size_t kExactWidth = std::bit_width(kExact);
  static_assert(kExact + 1 == std::size_t{1} << kExactWidth);

  bool is_forgotten_ = false;
  std::array<std::uint16_t, kExact + 1 + std::bit_width(kBlocksPerChunk) - kExactWidth> starts_{};
};

}  // namespace jackdaw::heap
