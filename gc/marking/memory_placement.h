// MemoryPlacement: the memory nodes on which the heap lies, as users choose them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "heap/memory_nodes.h"

namespace jackdaw::gc {

struct MemoryPlacement {
  enum class Policy : std::uint8_t {
    automatic,   ///< local where there are several memory nodes, otherwise system
    system,      ///< where the system places it
    local,       ///< each chunk on the node of the thread that allocates
    interleave,  ///< spread over all nodes, page by page
    node,        ///< on one node
  };
  Policy policy = Policy::automatic;
  std::uint32_t node = 0;  ///< for Policy::node: a number that `jackdaw topology` shows
};

/// The accepted forms: "auto", "system", "local", "interleave" and "node:K".
inline constexpr std::string_view kMemoryPlacementForms = "auto, system, local, interleave or node:K";

/// Returns the placement that a text names. Throws std::invalid_argument, which says what is wrong, for any
/// other text and for a node that does not exist. Any thread.
MemoryPlacement parse_memory_placement(std::string_view text);
/// Returns the text that names a placement.
std::string to_string(const MemoryPlacement& placement);

/// Returns where chunks lie under that placement on this machine. Memory nodes that only hwloc's environment
/// describes count as one. Throws std::invalid_argument when the node does not exist.
heap::MemoryNodes memory_nodes(const MemoryPlacement& placement);

}  // namespace jackdaw::gc
