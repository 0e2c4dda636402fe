// Stands in for heap/memory_nodes.h: a machine with one node.
#pragma once

#include <cstdint>

namespace jackdaw::heap {

struct MemoryNodes {
  static std::uint32_t count() { return 1; }
  static std::uint32_t near_this_thread() { return 0; }
};

}  // namespace jackdaw::heap
