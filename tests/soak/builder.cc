#include "tests/soak/builder.h"

#include "jackdaw/gc.h"

#include <algorithm>

#include "tests/soak/finalization.h"

namespace jackdaw::soak {

namespace {

constexpr std::uint64_t kMostNodes = 32;

std::atomic<std::uint64_t> next_identity{1};

std::uintptr_t* free_edge(Node* node) {
  const auto edges = node->edges();
  const auto free = std::ranges::find(edges, std::uintptr_t{0});
  return free != edges.end() ? &*free : nullptr;
}

NodeModel model_of(HiddenNode hidden) {
  Node* const node = hidden.reveal();
  NodeModel model{hidden, identity_of(node), node->payload_words, {}};
  for (const std::uintptr_t edge : node->edges()) model.hidden_edges.push_back(~edge);
  return model;
}

}  // namespace

std::uint32_t Builder::edge_count_by_chance() {
  if (random_.once_in(4096)) return static_cast<std::uint32_t>(4096 + random_.below(16384));
  if (random_.once_in(256)) return static_cast<std::uint32_t>(64 + random_.below(2048));
  return static_cast<std::uint32_t>(2 + random_.below(8));
}

std::uint32_t Builder::payload_words_by_chance() {
  if (random_.once_in(4096)) return static_cast<std::uint32_t>(1 + random_.below(std::uint64_t{1} << 16));
  if (random_.once_in(128)) return static_cast<std::uint32_t>(1 + random_.below(4096));
  return static_cast<std::uint32_t>(1 + random_.below(32));
}

Node* Builder::new_node_by_chance(std::uint32_t edge_count) {
  constexpr std::uint32_t kMostTypedEdges = 16;  // their layout fits a word
  NodeKind kind = random_.once_in(8) ? NodeKind::near_start : NodeKind::plain;
  if (edge_count <= kMostTypedEdges && random_.once_in(3)) kind = NodeKind::typed;
  // Relaxed: only that numbers differ counts.
  Node* const node = new_node(next_identity.fetch_add(1, std::memory_order_relaxed), edge_count, kind);
  if (node != nullptr && random_.once_in(2)) set_payload(node, payload_words_by_chance());
  return node;
}

// Adds a node that one of `with_room` has an edge to.
bool Builder::add_node(std::vector<HiddenNode>& nodes, std::vector<HiddenNode>& with_room) {
  Node* const node = new_node_by_chance(edge_count_by_chance());
  if (node == nullptr) return false;
  const std::uint64_t place = random_.below(with_room.size());
  Node* const parent = with_room[place].reveal();
  *free_edge(parent) = edge_to(node, random_.below(16));
  if (free_edge(parent) == nullptr) with_room.erase(with_room.begin() + static_cast<std::ptrdiff_t>(place));
  nodes.emplace_back(node);
  with_room.emplace_back(node);
  return true;
}

// None leads to the graph's own entry, so that this can have a finalizer that waits for the objects that
// refer to it.
void Builder::add_further_edges(std::vector<HiddenNode>& nodes, const std::vector<Held>& older,
                                std::vector<Reference>& children) {
  for (const HiddenNode hidden : nodes) {
    Node* const node = hidden.reveal();
    std::uintptr_t* const edge = free_edge(node);
    if (edge == nullptr) continue;
    const Held* const other = older.empty() ? nullptr : &older[random_.below(older.size())];
    if (other != nullptr && other->graph()->depth() < Graph::kMostDepth && random_.once_in(nodes.size())) {
      *edge = edge_to(other->entry(), random_.below(16));
      children.push_back(other->graph());
    } else if (nodes.size() > 1) {
      *edge = edge_to(nodes[1 + random_.below(nodes.size() - 1)].reveal(), random_.below(16));
    }
  }
}

void Builder::change_payloads(const std::vector<HiddenNode>& nodes) {
  for (const HiddenNode node : nodes) {
    if (random_.once_in(4)) set_payload(node.reveal(), payload_words_by_chance());
  }
}

// The entry is on the stack, and leads to all others from when they are made.
Held Builder::build(const std::vector<Held>& older, bool may_be_finalized) {
  Node* const entry = new_node_by_chance(edge_count_by_chance());
  if (entry == nullptr) return {};
  std::vector<HiddenNode> nodes{HiddenNode(entry)};
  std::vector<HiddenNode> with_room = nodes;
  const std::uint64_t more = random_.below(kMostNodes);
  for (std::uint64_t i = 0; i < more; ++i) {
    if (!add_node(nodes, with_room)) return {};
  }
  std::vector<Reference> children;
  add_further_edges(nodes, older, children);
  change_payloads(nodes);
  Finalization* const finalization = may_be_finalized ? finalization_by_chance(random_, entry) : nullptr;
  std::vector<NodeModel> models;
  models.reserve(nodes.size());
  for (const HiddenNode node : nodes) models.push_back(model_of(node));
  const auto graph = std::make_shared<const Graph>(std::move(models), std::move(children),
                                                   finalization != nullptr ? finalization->calls : nullptr);
  if (finalization != nullptr) register_finalizer(entry, finalization, graph);
  GC_reachable_here(entry);
  return {entry, graph};
}

}  // namespace jackdaw::soak
