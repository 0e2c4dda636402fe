#include "tools/graph/mixed_sizes.h"

#include <algorithm>

#include "tools/command/progress.h"
#include "tools/command/saturating.h"
#include "tools/graph/footprint.h"
#include "tools/graph/random.h"
#include "tools/graph/synthetic_limits.h"

namespace jackdaw::tools {

namespace {

// Sizes are drawn uniformly, so their means tell the expected size beforehand.
constexpr std::uint32_t kLongestString = 64;
constexpr std::uint64_t kMeanStringBytes = (8 + kLongestString) / 2;
constexpr std::uint32_t kLeastWords = 2;
constexpr std::uint32_t kMostWords = 64;
constexpr std::uint64_t kMeanWords = (kLeastWords + kMostWords) / 2;

// Begins a graph of `nodes` nodes, to be appended one by one. Checks first whether it will fit.
Graph begin_graph(const std::string& spec, std::uint64_t nodes, std::uint64_t slots, std::uint64_t heap_bytes,
                  const GraphOptions& options) {
  constexpr std::uint64_t kDescriptionPerNode = 2 * sizeof(std::uint64_t) + sizeof(TypeId);
  require_node_count(spec, nodes);
  require_memory(describe_graph(spec),
                 saturating_add(saturating_multiply(nodes, kDescriptionPerNode),
                                saturating_multiply(slots, sizeof(NodeId))),
                 heap_bytes, options.heap_copies, options.memory_limit_bytes);
  Graph graph;
  graph.name = spec;
  graph.node_count = nodes;
  graph.has_headers = options.headers;
  graph.numbers_seed = options.seed;
  graph.slot_begin.reserve(nodes + 1);
  graph.slot_begin.push_back(0);
  graph.node_types.reserve(nodes);
  graph.node_bytes.reserve(nodes);
  graph.slots.reserve(slots);
  graph.roots.push_back(0);
  return graph;
}

// Ends the node whose slots were appended last.
void finish_node(Graph& graph, TypeId type, std::uint64_t bytes) {
  graph.slot_begin.push_back(graph.slots.size());
  graph.node_types.push_back(type);
  graph.node_bytes.push_back(bytes);
}

}  // namespace

Graph make_strings(const std::string& spec, std::uint64_t length, const GraphOptions& options) {
  constexpr TypeId kArray = 0;
  constexpr TypeId kObject = 1;
  constexpr TypeId kString = 2;
  const std::uint64_t nodes = saturating_add(saturating_multiply(2, length), 1);
  const std::uint64_t object_bytes =
      round_up_to_8(std::max(record_node_bytes(1, options.headers), options.object_bytes));
  const std::uint64_t header_bytes = record_node_bytes(0, options.headers);
  const std::uint64_t pair_bytes = saturating_add(object_bytes, header_bytes + kMeanStringBytes);
  const std::uint64_t array_bytes = array_node_bytes(length, options.headers);
  Graph graph = begin_graph(spec, nodes, saturating_multiply(2, length),
                            saturating_add(array_bytes, saturating_multiply(length, pair_bytes)), options);
  graph.types = {{NodeType::Layout::array, 0, "array"},
                 {NodeType::Layout::record, 1, "object"},
                 {NodeType::Layout::data, 0, "string"}};
  Progress progress("making " + spec);
  Random random(options.seed);
  for (std::uint64_t i = 0; i < length; ++i) graph.slots.push_back(static_cast<NodeId>(2 * i + 1));
  finish_node(graph, kArray, array_bytes);
  for (std::uint64_t i = 0; i < length; ++i) {
    graph.slots.push_back(static_cast<NodeId>(2 * i + 2));
    finish_node(graph, kObject, object_bytes);
    finish_node(graph, kString, header_bytes + round_up_to_8(1 + random.below(kLongestString)));
    progress.update(i, length);
  }
  return graph;
}

Graph make_numbers(const std::string& spec, std::uint64_t nodes, const GraphOptions& options) {
  Graph graph = begin_graph(spec, nodes, saturating_multiply(nodes, kMeanWords / 2),
                            saturating_multiply(nodes, kMeanWords * kReferenceBytes), options);
  for (std::uint32_t references = 0; references <= kMostWords / 2; ++references) {
    graph.types.push_back({.layout = NodeType::Layout::record,
                           .references = references,
                           .name = "record",
                           .has_numbers = true});
  }
  Progress progress("making " + spec);
  Random random(options.seed);
  std::uint64_t next_child = 1;
  for (std::uint64_t node = 0; node < nodes; ++node) {
    const std::uint32_t words = kLeastWords + random.below(kMostWords - kLeastWords + 1);
    const std::uint32_t references = words / 2;
    for (std::uint32_t i = 0; i < references; ++i, ++next_child)
      graph.slots.push_back(next_child < nodes ? static_cast<NodeId>(next_child) : kNullNode);
    finish_node(graph, references, words * kReferenceBytes);
    progress.update(node, nodes);
  }
  return graph;
}

}  // namespace jackdaw::tools
