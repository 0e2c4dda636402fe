// BlockSearch: finds wholly free blocks that the same processor had before.
//
// Recently allocated memory lies in the cache of the processor that allocated it. So where several threads
// allocate, a block goes first to a thread on the processor that took it before; of such blocks the one with
// the lowest address. A single allocating thread takes the free block with the lowest address, which keeps
// the heap dense.
#pragma once

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "heap/chunk.h"

namespace jackdaw::heap {

/// A heap has one, which its lock guards.
class BlockSearch {
 public:
  /// Stands for a processor; not zero. Where there are more than kTakers processors, some share a number.
  using Taker = std::uint8_t;
  struct Place {
    std::size_t chunk = 0;  ///< the number among the heap's chunks
    std::size_t block = kFirstBlock;
  };

  /// Returns the taker for the processor that the calling thread runs on, or ran on a moment ago.
  static Taker of_this_processor() {
    return static_cast<Taker>(static_cast<unsigned>(sched_getcpu()) % kTakers + 1);
  }
  /// Returns the place where the search for blocks of `taker` goes on: blocks before it were searched
  /// already.
  Place& place_of(Taker taker) { return places_[taker - 1U]; }
  /// Notes that blocks were freed in that chunk and, perhaps, in later ones.
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
