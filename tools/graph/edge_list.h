// Reads a list of edges, as those of the Stanford Large Network Dataset Collection (SNAP), plain or gzipped.
//
// A line is an edge: the numbers of two nodes, whole and below 2^64, and further numbers, such as a weight,
// which are left out. Blank lines and those that begin with '#' or '%' are none. Nodes are those that an edge
// names, in the order in which they are named first. file_edges.h defines the graph that edges make.
#pragma once

#include <string>

#include "tools/graph/byte_source.h"
#include "tools/graph/graph.h"
#include "tools/graph/graph_options.h"

namespace jackdaw::tools {

/// The graph of the list at `path`, a regular file, which `options` let be so large. Throws InputError,
/// naming the file, the line and what would be right, for anything else. Linear in the size of the file.
[[nodiscard]] Graph read_edge_list(const std::string& path, const GraphOptions& options = {});

/// Reads a source that is open already.
[[nodiscard]] Graph read_edge_list(ByteSource& source, const GraphOptions& options);

}  // namespace jackdaw::tools
