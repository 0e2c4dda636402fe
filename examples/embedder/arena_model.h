// ArenaModel: describes the arena to the marking engine. This is all that the engine needs of a heap;
// jackdaw/object_model.h says exactly what each function must do.
#pragma once

#include <atomic>
#include <cstdint>

#include <jackdaw/object_model.h>
#include "arena.h"
#include "weak_notes.h"

/// Every mark thread calls its functions, which must not throw.
class ArenaModel {
 public:
  using Reference = Node*;  // what an edge holds
  using Task = Node*;       // what the queues carry: a node to visit

  /// `notes` must have room for the engine's number of workers.
  ArenaModel(Arena& arena, WeakNotes& notes) : arena_(arena), notes_(notes) {}

  /// Exactly one caller for each node gets a task.
  jackdaw::MarkOutcome<Task> mark(Node* node, jackdaw::Sharing sharing) {
    std::atomic<std::uint64_t>& word = arena_.mark_word_of(node);
    const std::uint64_t bit = arena_.mark_bit_of(node);
    // Relaxed, all: the bit decides which worker visits the node; the node was written before the marking
    // began.
    const std::uint64_t before = word.load(std::memory_order_relaxed);
    if ((before & bit) != 0) return {};
    if (sharing == jackdaw::Sharing::exclusive) {
      word.store(before | bit, std::memory_order_relaxed);  // no other thread marks
    } else if ((word.fetch_or(bit, std::memory_order_relaxed) & bit) != 0) {
      return {};
    }
    return node;
  }

  bool is_marked(Node* node) { return arena_.is_marked(node); }
  void prefetch_mark(Node* node) { jackdaw::prefetch_to_write(&arena_.mark_word_of(node)); }
  void prefetch(Node* node) { jackdaw::prefetch_to_read(node); }
  // Nodes of a list often lie in the order in which they were allocated.
  void prefetch_following(Node* node) const {
    jackdaw::prefetch_to_read(reinterpret_cast<const char*>(node) + 1024);
  }

  /// Reports only edges: whether a weak reference is cleared, and whether an ephemeron's value lives, is
  /// known after mark(). A node may be visited again after a rescan, so it may be noted more than once.
  template <typename Sink>
  void visit(Node* node, Sink& sink) {
    for (Node* const edge : node->edges()) {
      if (edge != nullptr) sink.reference(edge);
    }
    if (node->has_weak_fields()) notes_.note(sink.worker(), node);
  }

 private:
  Arena& arena_;
  WeakNotes& notes_;
};

static_assert(jackdaw::ObjectModel<ArenaModel>);
