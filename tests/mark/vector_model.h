// VectorModel: an object model that is not Jackdaw's heap: nodes in a vector, marks in a vector; and graphs
// of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "mark/object_model.h"
#include "mark/random_numbers.h"

namespace jackdaw::mark {

using Node = std::uint32_t;

// A graph as adjacency lists; a reference and a task are a node's number.
class VectorModel {
 public:
  using Reference = Node;
  using Task = Node;

  explicit VectorModel(std::vector<std::vector<Node>> edges)
      : edges_(std::move(edges)), marks_(edges_.size()) {}

  // Exclusively, as a plain load and a plain store: two workers that both believe to be alone mark twice.
  MarkOutcome<Task> mark(Reference node, Sharing sharing) {
    if (sharing == Sharing::shared) {
      if (marks_[node].exchange(1, std::memory_order_relaxed) != 0) return {};
    } else {
      if (marks_[node].load(std::memory_order_relaxed) != 0) return {};
      marks_[node].store(1, std::memory_order_relaxed);
    }
    return node;
  }
  bool is_marked(Reference node) const { return marks_[node].load(std::memory_order_relaxed) != 0; }
  void prefetch_mark(Reference) const {}
  void prefetch(Task) const {}
  // Every other object is said to be on another memory node.
  std::uint32_t node_of(Task node) const { return node % 2; }
  template <typename Sink>
  void visit(Task node, Sink& sink) const {
    for (const Node target : edges_[node]) sink.reference(target);
  }

  void clear_marks() {
    for (auto& mark : marks_) mark.store(0, std::memory_order_relaxed);
  }
  std::vector<bool> marks() const {
    std::vector<bool> marks(marks_.size());
    for (std::size_t i = 0; i < marks.size(); ++i) marks[i] = marks_[i].load(std::memory_order_relaxed) != 0;
    return marks;
  }
  std::vector<bool> serially_reachable(const std::vector<Node>& roots) const {
    std::vector<bool> reached(edges_.size(), false);
    std::vector<Node> stack;
    const auto visit_node = [&](Node node) {
      if (reached[node]) return;
      reached[node] = true;
      stack.push_back(node);
    };
    for (const Node root : roots) visit_node(root);
    while (!stack.empty()) {
      const Node node = stack.back();
      stack.pop_back();
      for (const Node target : edges_[node]) visit_node(target);
    }
    return reached;
  }
  std::uint64_t edges_of(const std::vector<bool>& nodes) const {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) count += nodes[i] ? edges_[i].size() : 0;
    return count;
  }

 private:
  std::vector<std::vector<Node>> edges_;
  std::vector<std::atomic<std::uint8_t>> marks_;
};

static_assert(PlacedObjectModel<VectorModel> && !BiasedObjectModel<VectorModel>);

inline std::vector<std::vector<Node>> random_graph(Node nodes, std::uint32_t most_edges, std::uint64_t seed) {
  RandomNumbers random(seed);
  std::vector<std::vector<Node>> edges(nodes);
  for (auto& targets : edges) {
    targets.resize(random.below(most_edges + 1));
    for (Node& target : targets) target = random.below(nodes);
  }
  return edges;
}

inline std::vector<std::vector<Node>> list_graph(Node nodes) {
  std::vector<std::vector<Node>> edges(nodes);
  for (Node i = 0; i + 1 < nodes; ++i) edges[i] = {i + 1};
  return edges;
}

// Node 0 refers to all others: one visit makes more tasks than any small queue holds.
inline std::vector<std::vector<Node>> star_graph(Node nodes) {
  std::vector<std::vector<Node>> edges(nodes);
  edges[0].resize(nodes - 1);
  std::iota(edges[0].begin(), edges[0].end(), 1);
  return edges;
}

}  // namespace jackdaw::mark
