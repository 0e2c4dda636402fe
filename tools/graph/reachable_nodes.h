// reachable_nodes: the nodes of a graph that its roots reach.
#pragma once

#include <vector>

#include "tools/graph/graph.h"

namespace jackdaw::tools {

/// Returns for each node whether a root reaches it. O(nodes + slots).
[[nodiscard]] std::vector<bool> reachable_nodes(const Graph& graph);

}  // namespace jackdaw::tools
