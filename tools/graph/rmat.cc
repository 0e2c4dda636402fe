#include "tools/graph/rmat.h"

#include <algorithm>
#include <array>

#include "tools/command/progress.h"
#include "tools/command/saturating.h"
#include "tools/graph/adjacency.h"
#include "tools/graph/footprint.h"
#include "tools/graph/random.h"
#include "tools/graph/synthetic_limits.h"

namespace jackdaw::tools {

namespace {

struct DrawnEdge {
  std::uint64_t from;
  std::uint64_t to;
};

/// The edges of the graph, one after the other.
class EdgeSequence {
 public:
  EdgeSequence(std::uint64_t scale, std::uint64_t seed)
      : scale_(scale), mask_((std::uint64_t{1} << scale) - 1), random_(seed) {
    for (std::uint64_t& word : scramble_) word = random_.next();
  }

  DrawnEdge next() {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    for (std::uint64_t level = 0; level < scale_; ++level) {
      const std::uint64_t draw = random_.next() >> 32;
      // The quadrants in turn: neither bit (a), the target's (b), the source's (c), both (d).
      const bool lower = draw >= kUpperHalf;
      const bool right = lower ? draw >= kLowerLeft : draw >= kUpperLeft;
      from = from << 1 | static_cast<std::uint64_t>(lower);
      to = to << 1 | static_cast<std::uint64_t>(right);
    }
    return {scrambled(from), scrambled(to)};
  }

 private:
  /// Upper bounds of the first three quadrants in units of 2^-32: a = .57, b = .19, c = .19, d = .05.
  static constexpr std::uint64_t kUpperLeft = 2'448'131'358;
  static constexpr std::uint64_t kUpperHalf = 3'264'175'144;
  static constexpr std::uint64_t kLowerLeft = 4'080'218'931;

  /// A seeded bijection on node numbers. Without it a node's number would tell its degree, and the nodes of
  /// high degree would be allocated side by side.
  [[nodiscard]] std::uint64_t scrambled(std::uint64_t node) const {
    const std::uint64_t half = scale_ / 2 + 1;
    for (const std::uint64_t word : scramble_) {
      node = (node ^ (word >> 32)) & mask_;
      node = (node * (word | 1)) & mask_;
      node ^= node >> half;
    }
    return node;
  }

  std::uint64_t scale_;
  std::uint64_t mask_;
  Random random_;
  std::array<std::uint64_t, 2> scramble_{};
};

}  // namespace

Graph make_rmat(const std::string& spec, std::uint64_t scale, std::uint64_t edge_factor,
                const GraphOptions& options) {
  const std::uint64_t nodes = std::uint64_t{1} << scale;
  require_node_count(spec, nodes);
  const std::uint64_t edge_count = saturating_multiply(edge_factor, nodes);
  const std::uint64_t description =
      saturating_add(saturating_multiply(edge_count, sizeof(NodeId)), 2 * sizeof(std::uint64_t) * nodes);
  // The exact sizes are known only when the edges have been counted; this is a lower bound.
  const std::uint64_t least_heap = std::max(saturating_multiply(nodes, options.object_bytes),
                                            saturating_multiply(edge_count, kReferenceBytes));
  require_memory(describe_graph(spec), description, least_heap, options.heap_copies,
                 options.memory_limit_bytes);

  Graph graph;
  graph.name = spec;
  graph.node_count = nodes;
  Progress progress("making " + spec);
  std::uint64_t drawn = 0;
  const auto for_each_edge = [&](const auto& take) {
    EdgeSequence edges(scale, options.seed);
    for (std::uint64_t left = edge_count; left > 0; --left) {
      const DrawnEdge edge = edges.next();
      take(edge.from, edge.to);
      progress.update(drawn++, 2 * edge_count);
    }
  };
  count_slots(graph, for_each_edge);
  make_arrays(graph, options);
  require_memory(describe_graph(spec), description, heap_bytes(graph), options.heap_copies,
                 options.memory_limit_bytes);
  fill_slots(graph, for_each_edge);
  return graph;
}

}  // namespace jackdaw::tools
