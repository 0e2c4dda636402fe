// Adjacency: turns a sequence of edges into a graph: each node's slots, its size as an array of references,
// and a root.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tools/graph/graph.h"
#include "tools/graph/graph_options.h"

namespace jackdaw::tools {

/// Finds where the slots of each node begin. `for_each_edge` calls its argument with the numbers of both
/// nodes of each edge. O(nodes + edges).
template <typename ForEachEdge>
void count_slots(Graph& graph, const ForEachEdge& for_each_edge) {
  graph.slot_begin.assign(graph.node_count + 1, 0);
  for_each_edge([&](std::uint64_t from, std::uint64_t /*to*/) { ++graph.slot_begin[from + 1]; });
  for (std::uint64_t node = 0; node < graph.node_count; ++node)
    graph.slot_begin[node + 1] += graph.slot_begin[node];
}

/// Fills the slots that count_slots() has counted from the same edges. O(nodes + edges).
template <typename ForEachEdge>
void fill_slots(Graph& graph, const ForEachEdge& for_each_edge) {
  graph.slots.resize(graph.slot_begin.back());
  for_each_edge([&](std::uint64_t from, std::uint64_t to) {
    graph.slots[graph.slot_begin[from]++] = static_cast<NodeId>(to);
  });
  // Every beginning has moved to the next node's; shifting by one makes them beginnings again.
  std::shift_right(graph.slot_begin.begin(), graph.slot_begin.end(), 1);
  graph.slot_begin[0] = 0;
}

/// Makes the nodes, whose slots are counted, arrays of at least `options.object_bytes`, and the first of
/// those with the most slots the root. O(nodes).
void make_arrays(Graph& graph, const GraphOptions& options);

}  // namespace jackdaw::tools
