// Outcome: what a collection leaves of a heap: found afterwards in the heap, and beforehand by the simplest
// computation, on one thread, without the engine and without marks.
#pragma once

#include <unordered_set>
#include <vector>

#include "arena.h"
#include "collection.h"

using NodeSet = std::unordered_set<const Node*>;

struct Outcome {
  std::vector<Node*> live;
  std::vector<Node*> weak_fields;  // the weak references, keys and values of live nodes
  std::vector<Node*> finalizer_queue;
  bool operator==(const Outcome&) const = default;
};

/// Adds what is reachable from `roots` by edges. Returns whether anything new was.
inline bool reach(const std::vector<Node*>& roots, NodeSet& reached) {
  std::vector<Node*> unvisited;
  const auto add = [&](Node* node) {
    if (node != nullptr && reached.insert(node).second) unvisited.push_back(node);
  };
  for (Node* const root : roots) add(root);
  const bool is_new = !unvisited.empty();
  while (!unvisited.empty()) {
    Node* const node = unvisited.back();
    unvisited.pop_back();
    for (Node* const edge : node->edges()) add(edge);
  }
  return is_new;
}

/// Adds what ephemerons of reached nodes with reached keys keep alive.
inline void reach_ephemeron_values(const Arena& arena, NodeSet& reached) {
  bool is_new = true;
  while (is_new) {
    is_new = false;
    for (Node* const node : arena.nodes()) {
      if (!reached.contains(node)) continue;
      for (const Ephemeron& ephemeron : node->ephemerons())
        is_new |= reached.contains(ephemeron.key) && reach({ephemeron.value}, reached);
    }
  }
}

/// Returns the outcome for nodes that are live by `is_live`, whose weak fields become null unless their
/// targets or keys stay.
template <typename IsLive, typename Stays>
Outcome outcome_of(const Heap& heap, const std::vector<Node*>& finalizer_queue, IsLive is_live, Stays stays) {
  Outcome outcome{{}, {}, finalizer_queue};
  const auto add = [&](bool is_kept, Node* target) {
    outcome.weak_fields.push_back(is_kept ? target : nullptr);
  };
  for (Node* const node : heap.arena.nodes()) {
    if (!is_live(node)) continue;
    outcome.live.push_back(node);
    for (Node* const target : node->weak_references()) add(stays(target), target);
    for (const auto& [key, value] : node->ephemerons()) {
      add(stays(key), key);
      add(stays(key), value);
    }
  }
  return outcome;
}

/// Returns the outcome that a collection of the heap must have.
inline Outcome expected_outcome(const Heap& heap) {
  NodeSet live;
  reach(heap.roots, live);
  reach(heap.finalizer_queue, live);
  reach_ephemeron_values(heap.arena, live);
  std::vector<Node*> queue = heap.finalizer_queue;
  for (Node* const node : heap.finalizable) {
    if (!live.contains(node)) queue.push_back(node);
  }
  reach(queue, live);
  reach_ephemeron_values(heap.arena, live);
  const auto is_live = [&](Node* node) { return live.contains(node); };
  return outcome_of(heap, queue, is_live, is_live);
}

/// Returns the outcome that a collection had.
inline Outcome actual_outcome(Heap& heap) {
  const auto is_live = [&](Node* node) { return heap.arena.is_marked(node); };
  return outcome_of(heap, heap.finalizer_queue, is_live, [](Node*) { return true; });
}
