// The memory that a graph takes: its description (the vectors of a Graph) and the heaps built from it.
//
// A graph that cannot fit is refused before it is made. Sizes are computed with saturating arithmetic, so one
// that overflows is refused as well.
#pragma once

#include <cstdint>
#include <string>

#include "bench/graph/graph.h"

namespace jackdaw::bench {

/// Bytes of one heap that holds every node of `graph` once, without any allocator's own overhead. O(nodes).
[[nodiscard]] std::uint64_t heap_bytes(const Graph& graph);

/// Bytes of the vectors that describe `graph`. O(1).
[[nodiscard]] std::uint64_t description_bytes(const Graph& graph);

/// Throws InputError, in the name of `subject` (such as "graph 'list:5'"), unless a description and
/// `heap_copies` heaps fit in `memory_limit_bytes` together. The message gives the needed and the available
/// bytes.
void require_memory(const std::string& subject, std::uint64_t description_bytes, std::uint64_t heap_bytes,
                    unsigned heap_copies, std::uint64_t memory_limit_bytes);

}  // namespace jackdaw::bench
