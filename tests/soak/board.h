// Board: where threads leave references for each other.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

#include "tests/soak/graph.h"

namespace jackdaw::soak {

/// Used by any thread. Its locks are held for a few instructions, and the collector is not called under them.
class Board {
 public:
  static constexpr std::size_t kPlaces = 64;

  /// The real references lie in an uncollectable object.
  Board();
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  /// The reference at the place; empty when there is none.
  [[nodiscard]] Held look_at(std::size_t place);
  /// Puts `held` there and returns what was there.
  Held exchange(std::size_t place, const Held& held);

 private:
  struct Place {
    std::mutex mutex;
    Reference graph;
  };

  Node** entries_;
  std::array<Place, kPlaces> places_;
};

}  // namespace jackdaw::soak
