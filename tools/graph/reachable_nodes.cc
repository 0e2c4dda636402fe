#include "tools/graph/reachable_nodes.h"

namespace jackdaw::tools {

std::vector<bool> reachable_nodes(const Graph& graph) {
  std::vector<bool> is_reachable(graph.node_count);
  std::vector<NodeId> waiting;
  const auto visit = [&](NodeId node) {
    if (node == kNullNode || is_reachable[node]) return;
    is_reachable[node] = true;
    waiting.push_back(node);
  };
  for (const NodeId root : graph.roots) visit(root);
  while (!waiting.empty()) {
    const NodeId node = waiting.back();
    waiting.pop_back();
    for (const NodeId target : graph.slots_of(node)) visit(target);
  }
  return is_reachable;
}

}  // namespace jackdaw::tools
