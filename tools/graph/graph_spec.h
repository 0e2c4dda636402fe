// Graph specifications: make a graph from what a user types, such as "tree:21" or "hprof:heap.hprof.gz".
//
// A specification is a kind, a colon and the kind's parameters with commas between them. Invariant:
// graph_kinds() lists exactly the kinds that make_graph() accepts; both read the same table.
#pragma once

#include <string>
#include <vector>

#include "tools/graph/graph.h"
#include "tools/graph/graph_options.h"

namespace jackdaw::tools {

/// Returns the graph that `spec` describes, whose name is `spec`. Throws InputError, naming the argument and
/// what would be right, for an unknown kind, a parameter that is missing, superfluous, not a number or out of
/// range, options out of range, a graph that does not fit in `options.memory_limit_bytes`, and a heap dump
/// that cannot be read.
[[nodiscard]] Graph make_graph(const std::string& spec, const GraphOptions& options = {});

/// A kind of graph, for help.
struct GraphKind {
  std::string form;  ///< what to type, such as "tree:DEPTH"
  std::string help;  ///< one line
};

/// Returns every kind, in the order for help.
[[nodiscard]] std::vector<GraphKind> graph_kinds();

}  // namespace jackdaw::tools
