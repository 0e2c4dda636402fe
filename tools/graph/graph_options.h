// GraphOptions: the options of a graph besides its kind and size.
#pragma once

#include <cstdint>

#include "tools/command/memory_limit.h"

namespace jackdaw::tools {

/// How to make a graph. `object_bytes` is for graphs without sizes of their own, `seed` for generated ones.
struct GraphOptions {
  std::uint64_t object_bytes = 48;  ///< least size of an object, header included: 8 bytes to 1 GiB
  /// Whether generated objects have headers.
  bool headers = true;
  std::uint64_t seed = 1;  ///< of every random choice; the same seed gives the same graph everywhere
  /// The graph's description and `heap_copies` heaps of it must fit in this many bytes together.
  std::uint64_t memory_limit_bytes = available_memory_bytes();
  /// Whether a node keeps the size and the identifier of its file, even if its slots take more, types are as
  /// exact as the file allows, and the graph has GraphNames: for inspecting the graph, not for building it.
  bool as_in_file = false;
  unsigned heap_copies = 1;  ///< how many heaps will be built from the graph and live at once
};

}  // namespace jackdaw::tools
