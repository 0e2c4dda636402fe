// Which of a graph's nodes its roots reach.
#pragma once

#include <vector>

#include "bench/graph/graph.h"

namespace jackdaw::bench {

/// By node, whether a root reaches it. O(nodes + slots).
[[nodiscard]] std::vector<bool> reachable_nodes(const Graph& graph);

}  // namespace jackdaw::bench
