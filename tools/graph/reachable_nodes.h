// Which of a graph's nodes its roots reach.
#pragma once

#include <vector>

#include "tools/graph/graph.h"

namespace jackdaw::tools {

/// By node, whether a root reaches it. O(nodes + slots).
[[nodiscard]] std::vector<bool> reachable_nodes(const Graph& graph);

}  // namespace jackdaw::tools
