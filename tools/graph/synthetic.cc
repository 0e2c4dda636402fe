#include "tools/graph/synthetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "tools/command/progress.h"
#include "tools/command/saturating.h"
#include "tools/graph/footprint.h"
#include "tools/graph/random.h"
#include "tools/graph/synthetic_limits.h"

namespace jackdaw::tools {

namespace {

/// Returns a graph of uniform records with unfilled slots. `order_bytes` is what the allocation order takes
/// for each node. Checks everything before it allocates.
Graph uniform_records(const std::string& spec, std::uint64_t nodes, std::uint64_t references,
                      std::uint64_t order_bytes, const GraphOptions& options) {
  require_node_count(spec, nodes);
  const std::uint64_t record = record_node_bytes(references, options.headers);
  const std::uint64_t bytes = round_up_to_8(std::max(record, options.object_bytes));
  const std::uint64_t slots = saturating_multiply(nodes, references);
  const std::uint64_t description =
      saturating_add(saturating_multiply(slots, sizeof(NodeId)), saturating_multiply(nodes, order_bytes));
  require_memory(describe_graph(spec), description, saturating_multiply(nodes, bytes), options.heap_copies,
                 options.memory_limit_bytes);
  Graph graph;
  graph.name = spec;
  graph.node_count = nodes;
  graph.has_headers = options.headers;
  graph.uniform_slots = references;
  graph.slots.resize(slots);
  graph.types.push_back({NodeType::Layout::record, static_cast<std::uint32_t>(references), "node"});
  graph.uniform_bytes = bytes;
  graph.roots.push_back(0);
  return graph;
}

/// Returns a uniformly random permutation of the first `count` numbers (Fisher and Yates).
std::vector<NodeId> random_permutation(std::uint64_t count, std::uint64_t seed, Progress& progress) {
  std::vector<NodeId> order(count);
  std::iota(order.begin(), order.end(), NodeId{0});
  Random random(seed);
  for (std::uint64_t left = count; left > 1; --left) {
    std::swap(order[left - 1], order[random.below(static_cast<std::uint32_t>(left))]);
    progress.update(count - left, count);
  }
  return order;
}

Progress progress_for(const std::string& spec) { return Progress("making " + spec); }

void fill_breadth_first(Graph& graph, Progress& progress) {
  // The children of node n are n * arity + 1 and on, so the children of all nodes in turn are 1, 2, 3 and so
  // on.
  const std::uint64_t children = graph.node_count - 1;
  for (std::uint64_t slot = 0; slot < graph.slots.size(); ++slot) {
    graph.slots[slot] = slot < children ? static_cast<NodeId>(slot + 1) : kNullNode;
    progress.update(slot, graph.slots.size());
  }
}

}  // namespace

Graph make_tree(const std::string& spec, std::uint64_t depth, const GraphOptions& options) {
  Graph graph = uniform_records(spec, (std::uint64_t{2} << depth) - 1, 2, 0, options);
  Progress progress = progress_for(spec);
  // In preorder the node after an inner node is its left child, and the node after a leaf is the right child
  // of the nearest ancestor whose right subtree is still to come; their heights wait here, nearest last.
  std::array<std::uint64_t, 32> waiting_heights{};
  std::size_t waiting = 0;
  std::uint64_t height = depth;
  for (std::uint64_t node = 0; node < graph.node_count; ++node) {
    progress.update(node, graph.node_count);
    NodeId* const children = &graph.slots[2 * node];
    if (height > 0) {
      children[0] = static_cast<NodeId>(node + 1);
      children[1] = static_cast<NodeId>(node + (std::uint64_t{1} << height));
      --height;
      waiting_heights[waiting++] = height;
      continue;
    }
    children[0] = children[1] = kNullNode;
    if (waiting > 0) height = waiting_heights[--waiting];
  }
  return graph;
}

Graph make_list(const std::string& spec, std::uint64_t nodes, const GraphOptions& options) {
  Graph graph = uniform_records(spec, nodes, 1, 0, options);
  Progress progress = progress_for(spec);
  fill_breadth_first(graph, progress);
  return graph;
}

Graph make_array(const std::string& spec, std::uint64_t length, const GraphOptions& options) {
  const std::uint64_t nodes = saturating_add(length, 1);
  require_node_count(spec, nodes);
  const std::uint64_t object_bytes = round_up_to_8(options.object_bytes);
  const std::uint64_t array_bytes =
      round_up_to_8(std::max(array_node_bytes(length, options.headers), options.object_bytes));
  constexpr std::uint64_t kDescriptionPerNode =
      sizeof(std::uint64_t) + sizeof(NodeId) + sizeof(TypeId) + sizeof(std::uint64_t);
  require_memory(describe_graph(spec), saturating_multiply(nodes, kDescriptionPerNode),
                 saturating_add(array_bytes, saturating_multiply(length, object_bytes)), options.heap_copies,
                 options.memory_limit_bytes);
  Graph graph;
  graph.name = spec;
  graph.node_count = nodes;
  graph.has_headers = options.headers;
  graph.types = {{NodeType::Layout::array, 0, "array"}, {NodeType::Layout::data, 0, "object"}};
  graph.slots.resize(length);
  std::iota(graph.slots.begin(), graph.slots.end(), NodeId{1});
  graph.slot_begin.assign(nodes + 1, length);
  graph.slot_begin[0] = 0;
  graph.node_types.assign(nodes, 1);
  graph.node_types[0] = 0;
  graph.node_bytes.assign(nodes, object_bytes);
  graph.node_bytes[0] = array_bytes;
  graph.roots.push_back(0);
  return graph;
}

Graph make_ordered(const std::string& spec, std::uint64_t nodes, std::uint64_t arity,
                   const GraphOptions& options) {
  Graph graph = uniform_records(spec, nodes, arity, 0, options);
  Progress progress = progress_for(spec);
  fill_breadth_first(graph, progress);
  return graph;
}

Graph make_shuffled(const std::string& spec, std::uint64_t nodes, std::uint64_t arity,
                    const GraphOptions& options) {
  Graph graph = uniform_records(spec, nodes, arity, sizeof(NodeId), options);
  Progress progress = progress_for(spec);
  fill_breadth_first(graph, progress);
  graph.allocation_order = random_permutation(nodes, options.seed, progress);
  graph.is_scattered = true;
  return graph;
}

Graph make_random(const std::string& spec, std::uint64_t nodes, std::uint64_t degree,
                  const GraphOptions& options) {
  Graph graph = uniform_records(spec, nodes, degree, 0, options);
  Progress progress = progress_for(spec);
  graph.is_scattered = true;
  Random random(options.seed);
  for (std::uint64_t slot = 0; slot < graph.slots.size(); ++slot) {
    graph.slots[slot] = random.below(static_cast<std::uint32_t>(nodes));
    progress.update(slot, graph.slots.size());
  }
  return graph;
}

Graph make_comb(const std::string& spec, std::uint64_t spine, std::uint64_t tooth,
                const GraphOptions& options) {
  const std::uint64_t stride = saturating_add(tooth, 1);
  Graph graph = uniform_records(spec, saturating_multiply(spine, stride), 2, 0, options);
  Progress progress = progress_for(spec);
  for (std::uint64_t head = 0; head < graph.node_count; head += stride) {
    const std::uint64_t next_head = head + stride;
    graph.slots[2 * head] = next_head < graph.node_count ? static_cast<NodeId>(next_head) : kNullNode;
    graph.slots[2 * head + 1] = static_cast<NodeId>(head + 1);
    for (std::uint64_t node = head + 1; node < next_head; ++node) {
      graph.slots[2 * node] = node + 1 < next_head ? static_cast<NodeId>(node + 1) : kNullNode;
      graph.slots[2 * node + 1] = kNullNode;
      progress.update(node, graph.node_count);
    }
  }
  return graph;
}

Graph make_layers(const std::string& spec, std::uint64_t depth, std::uint64_t width,
                  const GraphOptions& options) {
  Graph graph = uniform_records(spec, saturating_multiply(depth, width), width, 0, options);
  Progress progress = progress_for(spec);
  graph.roots.resize(width);
  std::iota(graph.roots.begin(), graph.roots.end(), NodeId{0});
  for (std::uint64_t slot = 0; slot < graph.slots.size(); ++slot) {
    const std::uint64_t layer = slot / width / width;
    graph.slots[slot] =
        layer + 1 < depth ? static_cast<NodeId>((layer + 1) * width + slot % width) : kNullNode;
    progress.update(slot, graph.slots.size());
  }
  return graph;
}

}  // namespace jackdaw::tools
