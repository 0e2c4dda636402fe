// V8Snapshot: reads the heap graph of a heap snapshot of V8 (`.heapsnapshot`, of Chrome or Node), plain or
// gzipped.
//
// Nodes are the snapshot's, in its order. A node's slots are its edges without the weak ones, in their order.
// The root is the first node. Types are named by constructors where objects have them, else by kinds, such as
// "(closure)"; a type whose nodes all lack slots is data, the others are arrays. Sizes are V8's, or what the
// header and the slots take where that is more.
//
// The snapshot is read once, as a stream. Memory is bounded by the graph's own and a table of names.
// Invariant: whatever the bytes are, the outcome is a graph that satisfies Graph's invariants or an
// InputError.
#pragma once

#include <string>

#include "tools/graph/byte_source.h"
#include "tools/graph/graph.h"
#include "tools/graph/graph_options.h"

namespace jackdaw::tools {

/// Returns the graph of the snapshot at `path`, a regular file, within the limits of `options`. Throws
/// InputError, naming the file, the byte offset (in the uncompressed stream) and what would be right, for
/// anything that is not a whole and consistent snapshot. Linear in the size of the snapshot.
[[nodiscard]] Graph read_v8_snapshot(const std::string& path, const GraphOptions& options = {});

/// Reads a source that is already open.
[[nodiscard]] Graph read_v8_snapshot(ByteSource& source, const GraphOptions& options);

}  // namespace jackdaw::tools
