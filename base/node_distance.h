// NodeDistance: how far a memory node is from a processor, in the units of firmware tables (ACPI's SLIT).
#pragma once

#include <cstddef>
#include <cstdint>

namespace jackdaw::base {

struct NodeDistance {
  static constexpr std::uint32_t kNear = 10;  ///< to a processor's own node, by definition
  static constexpr std::uint32_t kFar = 20;   ///< to any other, where nothing is known

  /// Returns the number of nodes in a table of `distances` distances, one for each node and each other; where
  /// that is no square, that of the next larger table. O(nodes).
  static constexpr std::size_t nodes_in_table(std::size_t distances) {
    std::size_t nodes = 1;
    while (nodes * nodes < distances) ++nodes;
    return nodes;
  }
};

}  // namespace jackdaw::base
