// WeakNotes: the nodes with weak references or ephemerons that a marking has visited.
#pragma once

#include <cstdint>
#include <vector>

#include "arena.h"

/// A chain of nodes for each worker, linked through the nodes' headers. Nothing is locked or allocated, since
/// a marking must continue when memory is short, and must not throw.
class WeakNotes {
 public:
  explicit WeakNotes(std::uint32_t workers) : chains_(workers) {}

  /// Called by the worker that visits the node. A node that is visited again, after a rescan, is noted once.
  /// No two workers visit a node in one mark() whose rescans name it once, so its header is this worker's.
  void note(std::uint32_t worker, Node* node) {
    if (node->next_noted_ != nullptr) return;
    Node*& first = chains_[worker].first;
    node->next_noted_ = first != nullptr ? first : node;  // the last node links to itself
    first = node;
  }

  /// Calls function(node) for all noted nodes. Between two calls of mark().
  template <typename Function>
  void for_each(Function function) const {
    for (const Chain& chain : chains_) {
      for (Node *node = chain.first, *next; node != nullptr; node = next) {
        next = node->next_noted_ != node ? node->next_noted_ : nullptr;
        function(node);
      }
    }
  }

  /// Empties the chains, after the last mark() of a collection.
  void forget() {
    for_each([](Node* node) { node->next_noted_ = nullptr; });
    for (Chain& chain : chains_) chain.first = nullptr;
  }

 private:
  struct alignas(64) Chain {  // a cache line each, so that workers do not share one
    Node* first = nullptr;
  };

  std::vector<Chain> chains_;
};
