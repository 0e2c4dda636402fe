// Reads one of Jackdaw's heap dumps (docs/heap-dump.md) as a graph whose objects lie as they did in the
// program.
//
// Nodes are the live objects, and, where small objects lay side by side, what lay between them: free slots
// and garbage, as nodes that nothing leads to. They are numbered block by block, in the order of addresses in
// each, which is also the order of allocation: a heap that fills its blocks one after the other puts the
// same objects side by side. An object has a slot for each word up to its last reference. Sizes are those of
// the dump, and where objects are to have headers, 16 bytes more. The roots are the dump's, and objects that
// no collection frees.
#pragma once

#include <string>

#include "bench/graph/byte_source.h"
#include "bench/graph/graph.h"
#include "bench/graph/graph_options.h"

namespace jackdaw::bench {

/// The graph of the dump at `path`, a regular file, which `options` let be so large. Throws InputError,
/// naming the file, the byte and what would be right, for anything that is not a whole and consistent dump.
/// Linear in the size of the dump.
[[nodiscard]] Graph read_heap_dump(const std::string& path, const GraphOptions& options = {});

/// The same for a source that is open already.
[[nodiscard]] Graph read_heap_dump(ByteSource& source, const GraphOptions& options);

}  // namespace jackdaw::bench
