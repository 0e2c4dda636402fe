// BlockSearch: where to look for wholly free blocks that the same processor had before.
//
// Part of what was allocated last is in the cache of the processor that did it, and what another processor
// wrote has to come from there. So where several threads allocate, a block goes first to a thread on the
// processor on which it was taken before; of such blocks the one with the lowest address. One thread alone
// takes the free block with the lowest address, which keeps the heap dense.
#pragma once

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "heap/chunk.h"

namespace jackdaw::heap {

/// A heap has one, and uses it under its lock.
class BlockSearch {
 public:
  /// Stands for a processor; not zero. Where there are more than kTakers processors, some share one.
  using Taker = std::uint8_t;
  struct Place {
    std::size_t chunk = 0;  ///< the number among the heap's chunks
    std::size_t block = kFirstBlock;
  };

  /// The taker for the processor that the calling thread runs on, or did a moment ago.
  static Taker of_this_processor() {
    return static_cast<Taker>(static_cast<unsigned>(sched_getcpu()) % kTakers + 1);
  }
  /// A hint: the blocks before it were looked at for `taker` already.
  Place& place_of(Taker taker) { return places_[taker - 1U]; }
  /// Blocks were freed in that chunk and, maybe, in later ones.
  void look_again_from(std::size_t chunk) {
    for (Place& place : places_) {
      if (chunk <= place.chunk) place = {.chunk = chunk};
    }
  }

 private:
  static constexpr unsigned kTakers = 64;

  std::array<Place, kTakers> places_;
};

}  // namespace jackdaw::heap
