#include "tools/graph/adjacency.h"

#include "tools/command/saturating.h"
#include "tools/graph/synthetic_limits.h"

namespace jackdaw::tools {

void make_arrays(Graph& graph, const GraphOptions& options) {
  graph.has_headers = options.headers;
  graph.is_scattered = true;
  graph.types.push_back({NodeType::Layout::array, 0, "node"});
  graph.node_bytes.resize(graph.node_count);
  std::uint64_t most = 0;
  NodeId busiest = 0;
  for (std::uint64_t node = 0; node < graph.node_count; ++node) {
    const std::uint64_t degree = graph.slot_begin[node + 1] - graph.slot_begin[node];
    graph.node_bytes[node] =
        round_up_to_8(std::max(array_node_bytes(degree, options.headers), options.object_bytes));
    if (degree > most) {
      most = degree;
      busiest = static_cast<NodeId>(node);
    }
  }
  graph.roots.push_back(busiest);
}

}  // namespace jackdaw::tools
