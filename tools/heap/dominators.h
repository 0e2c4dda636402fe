// Dominators: through which one object every way from the roots to another leads. What an object dominates
// dies with it: its retained size.
//
// Semi-NCA (Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems", Princeton 2005, section
// 2.3.1), after Lengauer and Tarjan, TOPLAS 1979. Without recursion: paths in heaps are as long as their
// lists.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace jackdaw::tools {

/// Successors of numbered nodes, stored node by node; node 0 is where all ways begin.
struct FlatGraph {
  std::vector<std::uint64_t> begin{0};  ///< of each node, and the end of the last
  std::vector<std::uint32_t> successors;

  [[nodiscard]] std::size_t size() const { return begin.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t node) const {
    return {successors.data() + begin[node], begin[node + 1] - begin[node]};
  }
  /// The node that the next successors belong to is complete.
  void end_node() { begin.push_back(successors.size()); }
};

/// The number that stands for 'none'.
inline constexpr std::uint32_t kNoNode = 0xffff'ffff;

/// For each node its immediate dominator; kNoNode for node 0 and for what it does not reach. O(edges log
/// nodes), in practice linear; some 40 bytes a node and 4 an edge.
[[nodiscard]] std::vector<std::uint32_t> immediate_dominators(const FlatGraph& graph);

/// For each node the sum of `weights` over the nodes that it dominates, itself included.
[[nodiscard]] std::vector<std::uint64_t> retained(const FlatGraph& graph,
                                                  std::span<const std::uint32_t> dominators,
                                                  std::span<const std::uint64_t> weights);

}  // namespace jackdaw::tools
