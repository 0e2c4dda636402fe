// Graph: the shadow model, outside the collector's heap, of some nodes that were made together.
//
// All nodes of a graph are reachable from its first one, its entry, and edges into other graphs lead to their
// entries. Edges into other graphs lead to older ones alone. So the graphs' references to each other form no
// cycle, though their nodes may, and counting them (std::shared_ptr) tells exactly which graphs are
// reachable: those that a Reference to is left.
//
// The rule that makes it exact with threads: a thread that has a reference to the model keeps the real entry
// reachable as well, from before it has it until after it let it go (Held).
//
// Graphs do not change once they are made, so threads may share them, and their nodes, without a lock.
#pragma once

#include "jackdaw/gc.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tests/soak/node.h"
#include "tests/soak/tally.h"

namespace jackdaw::soak {

class Graph;
using Reference = std::shared_ptr<const Graph>;

/// How often the finalizer of a graph's entry was called; null where it has none.
using FinalizerCalls = std::shared_ptr<std::atomic<std::uint64_t>>;

/// An address that no collection takes for one.
class HiddenNode {
 public:
  explicit HiddenNode(const Node* node) : bits_(GC_HIDE_POINTER(node)) {}
  [[nodiscard]] Node* reveal() const { return static_cast<Node*>(GC_REVEAL_POINTER(bits_)); }

 private:
  GC_hidden_pointer bits_;
};

/// The model of one node.
struct NodeModel {
  HiddenNode node;
  std::uint64_t identity;
  std::uint32_t payload_words;
  std::vector<std::uintptr_t> hidden_edges;  // as they are in the node, all bits inverted
};

class Graph {
 public:
  /// No path of references to other graphs is longer than this.
  static constexpr unsigned kMostDepth = 4;

  Graph(std::vector<NodeModel> nodes, std::vector<Reference> children, FinalizerCalls finalizer_calls);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  [[nodiscard]] std::uint64_t identity() const { return nodes_.front().identity; }
  [[nodiscard]] unsigned depth() const { return depth_; }
  [[nodiscard]] const std::vector<NodeModel>& nodes() const { return nodes_; }
  [[nodiscard]] const FinalizerCalls& finalizer_calls() const { return finalizer_calls_; }

  /// Fails unless the nodes that `entry` leads to, those of the other graphs, too, are as they were made. The
  /// caller keeps the graph.
  void check_real(Node* entry) const;

 private:
  std::vector<NodeModel> nodes_;
  std::vector<Reference> children_;
  FinalizerCalls finalizer_calls_;
  unsigned depth_ = 0;
  std::uint64_t live_bytes_ = 0;
  std::uint64_t model_bytes_ = 0;
};

/// A reference to a graph together with the real one: lives on a stack.
class Held {
 public:
  Held() = default;
  Held(Node* entry, Reference graph) : entry_(entry), graph_(std::move(graph)) {}
  ~Held() {
    graph_.reset();
    GC_reachable_here(entry_);
  }
  Held(const Held&) = default;
  Held(Held&&) = default;
  Held& operator=(const Held&) = delete;

  [[nodiscard]] Node* entry() const { return entry_; }
  [[nodiscard]] const Reference& graph() const { return graph_; }
  explicit operator bool() const { return graph_ != nullptr; }

 private:
  Node* entry_ = nullptr;
  Reference graph_;
};

/// Puts `held` where a real reference and its model lie, in memory that is a root or is reached from one.
/// The old reference is dropped; graphs may be destroyed with it.
inline void put(Node*& entry, Reference& graph, const Held& held) {
  graph.reset();
  entry = held.entry();
  graph = held.graph();
}

}  // namespace jackdaw::soak
