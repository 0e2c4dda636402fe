// MemoryPlacement: on which of the machine's memory nodes the heap lies, as people ask for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "heap/memory_nodes.h"

namespace jackdaw::gc {

struct MemoryPlacement {
  enum class Policy : std::uint8_t {
    automatic,   ///< local, where there are several memory nodes, else system
    system,      ///< where the system puts it
    local,       ///< on the node of the thread that allocates, chunk by chunk
    interleave,  ///< on all nodes, page by page
    node,        ///< on one node
  };
  Policy policy = Policy::automatic;
  std::uint32_t node = 0;  ///< with Policy::node: a number as `jackdaw topology` shows them
};

/// The accepted forms: "auto", "system", "local", "interleave" and "node:K".
inline constexpr std::string_view kMemoryPlacementForms = "auto, system, local, interleave or node:K";

/// The placement that a text names. Throws std::invalid_argument, which says what is wrong, when it is none
/// of the above or names a node that is not there. Any thread.
MemoryPlacement parse_memory_placement(std::string_view text);
/// The text that names it.
std::string to_string(const MemoryPlacement& placement);

/// Where the chunks of a heap lie with that placement on this machine. Memory nodes that only hwloc's
/// environment describes count as one. Throws std::invalid_argument when there is no such node.
heap::MemoryNodes memory_nodes(const MemoryPlacement& placement);

}  // namespace jackdaw::gc
