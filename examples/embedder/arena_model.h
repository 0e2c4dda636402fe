// ArenaModel: tells the marking engine about the arena. This is all that the engine asks of a heap;
// jackdaw/object_model.h says exactly what each function must do.
#pragma once

#include <atomic>
#include <cstdint>

#include <jackdaw/object_model.h>
#include "arena.h"
#include "weak_notes.h"

/// Every mark thread calls it, and nothing in it may throw.
class ArenaModel {
 public:
  using Reference = Node*;  // what an edge holds
  using Task = Node*;       // what the queues carry: to visit a whole node

  /// `notes` must be for as many workers as the engine has.
  ArenaModel(Arena& arena, WeakNotes& notes) : arena_(arena), notes_(notes) {}

  /// Exactly one caller per node is told that it marked it.
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
  // Nodes of a list often lie in the order in which they were made.
  void prefetch_following(Node* node) const {
    jackdaw::prefetch_to_read(reinterpret_cast<const char*>(node) + 1024);
  }

  /// Reports the edges alone: whether a weak reference is cleared, and whether an ephemeron's value lives, is
  /// known after mark(). A node is visited once, or again after a rescan: what is noted here must bear that.
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
