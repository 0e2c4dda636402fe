// Ties a thread of a test to a memory node.
#pragma once

#include <cstdint>

#include "mark/binding.h"
#include "mark/topology.h"

namespace jackdaw::numa {

/// Ties the calling thread to the processors of a node, a number in `machine.nodes()`. False when the system
/// refuses, or has no such node.
inline bool bind_this_thread_to_node(const mark::Topology& machine, std::uint32_t node) {
  for (std::uint32_t i = 0; i < machine.processor_count(); ++i) {
    if (machine.processors()[i].node == node) return machine.bind_this_thread(i, mark::Binding::node);
  }
  return false;
}

}  // namespace jackdaw::numa
