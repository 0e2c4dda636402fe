// NodeDistance: how far a memory node is from a processor, in the units of firmware tables (ACPI's SLIT).
#pragma once

#include <cstdint>

namespace jackdaw::base {

struct NodeDistance {
  static constexpr std::uint32_t kNear = 10;  ///< to a processor's own node, by definition
  static constexpr std::uint32_t kFar = 20;   ///< to any other, where nothing is known
};

}  // namespace jackdaw::base
