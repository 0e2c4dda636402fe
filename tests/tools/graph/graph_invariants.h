// Checks that a Graph is what its declaration promises.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/graph/graph.h"

namespace jackdaw::tools {

/// The least bytes that a node of this layout needs.
[[nodiscard]] inline std::uint64_t least_bytes(const Graph& graph, NodeType::Layout layout,
                                               std::uint64_t slots) {
  const bool array = layout == NodeType::Layout::array;
  const std::uint64_t header = array ? kArrayHeaderBytes : kHeaderBytes;
  return (graph.has_headers ? header : 0) + kReferenceBytes * slots;
}

/// The defect in the vectors' sizes, or "".
[[nodiscard]] inline std::string broken_shape(const Graph& graph) {
  const std::uint64_t nodes = graph.node_count;
  if (nodes > kMaximumNodes) return "too many nodes";
  if (graph.slot_begin.empty()) {
    if (graph.slots.size() != nodes * graph.uniform_slots) return "wrong number of uniform slots";
  } else {
    if (graph.slot_begin.size() != nodes + 1 || graph.slot_begin.front() != 0)
      return "slot_begin has the wrong shape";
    if (graph.slot_begin.back() != graph.slots.size()) return "slot_begin does not end at the last slot";
    if (!std::is_sorted(graph.slot_begin.begin(), graph.slot_begin.end())) return "slot_begin descends";
  }
  if (!graph.node_types.empty() && graph.node_types.size() != nodes) return "wrong number of node types";
  if (!graph.node_bytes.empty() && graph.node_bytes.size() != nodes) return "wrong number of node sizes";
  return "";
}

/// The defect of the node, or "".
[[nodiscard]] inline std::string broken_node(const Graph& graph, NodeId node) {
  if (graph.type_id_of(node) >= graph.types.size()) return "a node has no type";
  const NodeType& type = graph.type_of(node);
  const auto slots = graph.slots_of(node);
  if (type.layout == NodeType::Layout::record && slots.size() != type.references)
    return "a record of wrong arity";
  if (type.layout == NodeType::Layout::data && !slots.empty()) return "data with references";
  if (graph.bytes_of(node) < least_bytes(graph, type.layout, slots.size()))
    return "a node too small for its slots";
  if (graph.bytes_of(node) % 8 != 0) return "a size that is no multiple of 8";
  const auto inside = [&](NodeId target) { return target == kNullNode || target < graph.node_count; };
  return std::all_of(slots.begin(), slots.end(), inside) ? "" : "a slot refers to no node";
}

/// Which of Graph's invariants does not hold, or "" when all do. O(nodes + slots).
[[nodiscard]] inline std::string broken_invariant(const Graph& graph) {
  if (std::string broken = broken_shape(graph); !broken.empty()) return broken;
  for (std::uint64_t node = 0; node < graph.node_count; ++node) {
    if (std::string broken = broken_node(graph, static_cast<NodeId>(node)); !broken.empty()) return broken;
  }
  for (const NodeId root : graph.roots) {
    if (root >= graph.node_count) return "a root is no node";
  }
  if (graph.allocation_order.empty()) return "";
  std::vector<NodeId> sorted = graph.allocation_order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.size() != graph.node_count) return "an allocation order of the wrong length";
  for (std::uint64_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != i) return "an allocation order that is no permutation";
  }
  return "";
}

/// The part of a graph that its roots reach.
struct Reachable {
  std::uint64_t nodes = 0;
  std::uint64_t references = 0;  ///< slots of reachable nodes that are not null
};

/// Follows every reference from the roots.
[[nodiscard]] inline Reachable reachable(const Graph& graph) {
  Reachable found;
  std::vector<bool> seen(graph.node_count);
  std::vector<NodeId> waiting;
  const auto visit = [&](NodeId node) {
    if (seen[node]) return;
    seen[node] = true;
    ++found.nodes;
    waiting.push_back(node);
  };
  for (const NodeId root : graph.roots) visit(root);
  while (!waiting.empty()) {
    const NodeId node = waiting.back();
    waiting.pop_back();
    for (const NodeId target : graph.slots_of(node)) {
      if (target == kNullNode) continue;
      ++found.references;
      visit(target);
    }
  }
  return found;
}

}  // namespace jackdaw::tools
