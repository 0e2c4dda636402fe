// Dominators: an object dominates another if every way from the roots to that one leads through it. What it
// dominates dies with it: its retained size.
//
// Source: Semi-NCA (Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems", Princeton 2005,
// section 2.3.1), after Lengauer and Tarjan, TOPLAS 1979. It uses no recursion, since paths in heaps are as
// long as their lists.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace jackdaw::tools {

/// The successors of numbered nodes, stored node by node; all ways begin at node 0.
struct FlatGraph {
  std::vector<std::uint64_t> begin{0};  ///< of each node's successors, and the end of the last
  std::vector<std::uint32_t> successors;

  [[nodiscard]] std::size_t size() const { return begin.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t node) const {
    return {successors.data() + begin[node], begin[node + 1] - begin[node]};
  }
  /// Completes the node that the last successors belong to.
  void end_node() { begin.push_back(successors.size()); }
};

/// The number that stands for 'none'.
inline constexpr std::uint32_t kNoNode = 0xffff'ffff;

/// Returns each node's immediate dominator; kNoNode for node 0 and for nodes that it does not reach. O(edges
/// log nodes), in practice linear; some 40 bytes for a node and 4 for an edge.
[[nodiscard]] std::vector<std::uint32_t> immediate_dominators(const FlatGraph& graph);

/// Returns for each node the sum of `weights` over the nodes that it dominates, itself included.
[[nodiscard]] std::vector<std::uint64_t> retained(const FlatGraph& graph,
                                                  std::span<const std::uint32_t> dominators,
                                                  std::span<const std::uint64_t> weights);

}  // namespace jackdaw::tools
