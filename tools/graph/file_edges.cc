#include "tools/graph/file_edges.h"

#include <algorithm>

#include "tools/command/saturating.h"
#include "tools/graph/adjacency.h"
#include "tools/graph/footprint.h"

namespace jackdaw::tools {

void FileEdges::require_memory_so_far(std::uint64_t nodes, std::uint64_t table_bytes) const {
  const std::uint64_t tables = saturating_add(table_bytes, saturating_multiply(nodes, kBytesPerNode)) +
                               edges_.size() * (sizeof(Edge) + sizeof(NodeId));
  const std::uint64_t least_heap = std::max(saturating_multiply(nodes, options_.object_bytes),
                                            saturating_multiply(edges_.size(), kReferenceBytes));
  tools::require_memory_so_far(source_, tables, least_heap, options_.heap_copies,
                               options_.memory_limit_bytes);
}

Graph FileEdges::make_graph(std::uint64_t nodes) const {
  const auto for_each_edge = [this](const auto& take) {
    for (const Edge& edge : edges_) take(edge.from, edge.to);
  };
  Graph graph;
  graph.node_count = nodes;
  count_slots(graph, for_each_edge);
  make_arrays(graph, options_);
  require_memory(source_.name(), nodes * kBytesPerNode + edges_.size() * sizeof(NodeId), heap_bytes(graph),
                 options_.heap_copies, options_.memory_limit_bytes);
  fill_slots(graph, for_each_edge);
  return graph;
}

}  // namespace jackdaw::tools
