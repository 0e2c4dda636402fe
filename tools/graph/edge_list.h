// EdgeList: reads a list of edges, as in the Stanford Large Network Dataset Collection (SNAP), plain or
// gzipped.
//
// A line is an edge: the numbers of two nodes, whole and below 2^64, and further numbers, such as a weight,
// which are ignored. Blank lines and those that begin with '#' or '%' are skipped. Nodes are numbered in the
// order in which edges first name them. file_edges.h defines the graph that edges make.
#pragma once

#include <string>

#include "tools/graph/byte_source.h"
#include "tools/graph/graph.h"
#include "tools/graph/graph_options.h"

namespace jackdaw::tools {

/// Returns the graph of the list at `path`, a regular file, within the limits of `options`. Throws
/// InputError, naming the file, the line and what would be right, for anything else. Linear in the size of
/// the file.
[[nodiscard]] Graph read_edge_list(const std::string& path, const GraphOptions& options = {});

/// Reads a source that is already open.
[[nodiscard]] Graph read_edge_list(ByteSource& source, const GraphOptions& options);

}  // namespace jackdaw::tools
