// Footprint: the memory of a graph: its description (the vectors of a Graph) and the heaps built from it.
//
// A graph that cannot fit is refused before it is made. Sizes are computed with saturating arithmetic, so
// that one that overflows is refused as well.
#pragma once

#include <cstdint>
#include <string>

#include "tools/graph/byte_source.h"
#include "tools/graph/graph.h"

namespace jackdaw::tools {

/// Bytes of one heap that holds every node of `graph` once, without any allocator's own overhead. O(nodes).
[[nodiscard]] std::uint64_t heap_bytes(const Graph& graph);

/// Bytes of the vectors that describe `graph`. O(1).
[[nodiscard]] std::uint64_t description_bytes(const Graph& graph);

/// Throws InputError, in the name of `subject` (such as "graph 'list:5'"), unless a description and
/// `heap_copies` heaps fit in `memory_limit_bytes` together. The message gives the needed and the available
/// bytes.
void require_memory(const std::string& subject, std::uint64_t description_bytes, std::uint64_t heap_bytes,
                    unsigned heap_copies, std::uint64_t memory_limit_bytes);

/// Throws InputError, at the byte that `source` is at, unless the tables for what was read so far, and the
/// heaps of it, fit in `memory_limit_bytes`. So a file that cannot fit is refused as early as possible,
/// however well it compresses. Sizes whose sum does not fit in 64 bits are refused even if no heap is built.
void require_memory_so_far(const ByteSource& source, std::uint64_t table_bytes, std::uint64_t heap_bytes,
                           unsigned heap_copies, std::uint64_t memory_limit_bytes);

}  // namespace jackdaw::tools
