#include "tests/soak/graph.h"

#include <algorithm>

namespace jackdaw::soak {

namespace {

std::uint64_t size_in_model(const NodeModel& node) {
  return sizeof(NodeModel) + node.hidden_edges.size() * sizeof(std::uintptr_t) + 2 * sizeof(void*);
}

std::uint64_t size_in_heap(const NodeModel& node) { return bytes_of(node.node.reveal()); }

void check_node(const NodeModel& model) {
  Node* const node = model.node.reveal();
  check_intact(node);
  check(identity_of(node) == model.identity, "a live object was replaced", model.identity, identity_of(node));
  check(node->finalizations == 0, "a live object was finalized", model.identity);
  check(node->payload_words == model.payload_words, "a live object has another size", model.identity);
  const auto same = [](std::uintptr_t edge, std::uintptr_t hidden) { return edge == ~hidden; };
  check(std::ranges::equal(node->edges(), model.hidden_edges, same), "a live object's edges changed",
        model.identity);
}

}  // namespace

Graph::Graph(std::vector<NodeModel> nodes, std::vector<Reference> children, FinalizerCalls finalizer_calls)
    : nodes_(std::move(nodes)), children_(std::move(children)), finalizer_calls_(std::move(finalizer_calls)) {
  for (const Reference& child : children_) depth_ = std::max(depth_, child->depth() + 1);
  for (const NodeModel& node : nodes_) {
    live_bytes_ += size_in_heap(node);
    model_bytes_ += size_in_model(node);
  }
  // Relaxed, all: see Tally.
  raise_to(tally.peak_live_bytes,
           tally.live_bytes.fetch_add(live_bytes_, std::memory_order_relaxed) + live_bytes_);
  raise_to(tally.peak_model_bytes,
           tally.model_bytes.fetch_add(model_bytes_, std::memory_order_relaxed) + model_bytes_);
  count(tally.graphs);
  count(tally.nodes, nodes_.size());
}

Graph::~Graph() {
  tally.live_bytes.fetch_sub(live_bytes_, std::memory_order_relaxed);
  tally.model_bytes.fetch_sub(model_bytes_, std::memory_order_relaxed);
}

// The real edges are those of the model, which lead from the entry to all nodes: so it is enough to look at
// each node of the model once.
void Graph::check_real(Node* entry) const {
  check(entry == nodes_.front().node.reveal(), "a reference leads elsewhere", identity());
  for (const NodeModel& node : nodes_) check_node(node);
  for (const Reference& child : children_) child->check_real(child->nodes_.front().node.reveal());
  GC_reachable_here(entry);
}

}  // namespace jackdaw::soak
