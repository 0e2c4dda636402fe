#include "bench/graph/rmat.h"

#include <algorithm>
#include <array>
#include <vector>

#include "bench/command/progress.h"
#include "bench/graph/footprint.h"
#include "bench/graph/random.h"
#include "bench/graph/saturating.h"
#include "bench/graph/synthetic_limits.h"

namespace jackdaw::bench {

namespace {

struct Edge {
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

  Edge next() {
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

  /// A seeded bijection on node numbers. Without it a node's degree could be read off its number, and the
  /// busy nodes would be allocated side by side.
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

/// Counts how many edges leave each node and turns the counts into the places where their slots begin.
void count_edges(Graph& graph, EdgeSequence edges, std::uint64_t edge_count, Progress& progress) {
  graph.slot_begin.resize(graph.node_count + 1);
  for (std::uint64_t edge = 0; edge < edge_count; ++edge) {
    ++graph.slot_begin[edges.next().from + 1];
    progress.update(edge, 2 * edge_count);
  }
  for (std::uint64_t node = 0; node < graph.node_count; ++node) {
    graph.slot_begin[node + 1] += graph.slot_begin[node];
  }
}

void place_edges(Graph& graph, EdgeSequence edges, std::uint64_t edge_count, Progress& progress) {
  graph.slots.resize(edge_count);
  for (std::uint64_t edge = 0; edge < edge_count; ++edge) {
    const Edge drawn = edges.next();
    graph.slots[graph.slot_begin[drawn.from]++] = static_cast<NodeId>(drawn.to);
    progress.update(edge_count + edge, 2 * edge_count);
  }
  // Every beginning has moved on to the next node's; one step back makes them beginnings again.
  std::shift_right(graph.slot_begin.begin(), graph.slot_begin.end(), 1);
  graph.slot_begin[0] = 0;
}

void measure_nodes(Graph& graph, const GraphOptions& options) {
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

}  // namespace

Graph make_rmat(const std::string& spec, std::uint64_t scale, std::uint64_t edge_factor,
                const GraphOptions& options) {
  const std::uint64_t nodes = std::uint64_t{1} << scale;
  require_node_count(spec, nodes);
  const std::uint64_t edge_count = saturating_multiply(edge_factor, nodes);
  const std::uint64_t description =
      saturating_add(saturating_multiply(edge_count, sizeof(NodeId)), 2 * sizeof(std::uint64_t) * nodes);
  // How large the nodes are is known only when the edges have been counted; that they are at least this
  // large, now.
  const std::uint64_t least_heap = std::max(saturating_multiply(nodes, options.object_bytes),
                                            saturating_multiply(edge_count, kReferenceBytes));
  require_memory(describe_graph(spec), description, least_heap, options.heap_copies,
                 options.memory_limit_bytes);

  Graph graph;
  graph.name = spec;
  graph.node_count = nodes;
  graph.has_headers = options.headers;
  graph.is_scattered = true;
  graph.types.push_back({NodeType::Layout::array, 0, "node"});
  Progress progress("making " + spec);
  const EdgeSequence edges(scale, options.seed);
  count_edges(graph, edges, edge_count, progress);
  measure_nodes(graph, options);
  require_memory(describe_graph(spec), description, heap_bytes(graph), options.heap_copies,
                 options.memory_limit_bytes);
  place_edges(graph, edges, edge_count, progress);
  return graph;
}

}  // namespace jackdaw::bench
