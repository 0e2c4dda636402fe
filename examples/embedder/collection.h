// Collection: one marking of a heap, with weak references, ephemerons and finalizers. The program's threads
// are stopped meanwhile; a runtime would sweep unmarked objects afterwards.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <jackdaw/marker.h>
#include "arena.h"
#include "arena_model.h"
#include "weak_notes.h"

/// An arena and the collector's other data.
struct Heap {
  Arena arena;
  std::vector<Node*> roots;
  std::vector<Node*> finalizable;      // nodes with a finalizer; does not keep them alive
  std::vector<Node*> finalizer_queue;  // nodes whose finalizers are to run; keeps them alive until they have
};

/// If std::bad_alloc is thrown, it is before weak fields are cleared, so the collection can be given up.
class Collection {
 public:
  using Marker = jackdaw::Marker<ArenaModel>;

  Collection(Heap& heap, Marker& marker)
      : heap_(heap), marker_(marker), notes_(marker.worker_count()), model_(heap.arena, notes_) {
    rescans_.reserve(kRescanPiece);
    heap.arena.clear_marks();
  }
  ~Collection() { notes_.forget(); }
  Collection(const Collection&) = delete;
  Collection& operator=(const Collection&) = delete;

  /// Marks what is reachable from `roots` by edges.
  void mark(std::span<Node* const> roots) {
    bool is_complete = marker_.mark(model_, roots);
    while (!is_complete) is_complete = rescan_marked();
  }

  /// Runs a whole collection.
  void run() {
    mark(heap_.roots);
    mark(heap_.finalizer_queue);
    mark_ephemeron_values();
    queue_finalizers();
    mark_ephemeron_values();  // finalizers may read their nodes' entries
    clear_weak_fields();
  }

  /// Returns how often all marked nodes were visited again.
  std::size_t rescan_passes() const { return rescan_passes_; }

 private:
  static constexpr std::size_t kRescanPiece = 4096;

  // Visits all marked nodes again, in pieces, because there was no memory to remember some that were still to
  // be visited. Returns whether nothing was dropped this time.
  bool rescan_marked() {
    ++rescan_passes_;
    bool is_complete = true;
    for (Node* const node : heap_.arena.nodes()) {
      if (!heap_.arena.is_marked(node)) continue;
      rescans_.push_back(node);
      if (rescans_.size() == kRescanPiece) is_complete = mark_rescans() && is_complete;
    }
    return mark_rescans() && is_complete;
  }

  bool mark_rescans() {
    const bool is_complete = marker_.mark(model_, {}, rescans_);
    rescans_.clear();
    return is_complete;
  }

  // A marked value may be a key, or lead to one or to a further table: so this repeats until nothing new is
  // marked.
  void mark_ephemeron_values() {
    for (std::vector<Node*> values = unmarked_values(); !values.empty(); values = unmarked_values())
      mark(values);
  }

  // Returns the unmarked values of ephemerons with marked keys. One may be there several times, as a root
  // may.
  std::vector<Node*> unmarked_values() {
    std::vector<Node*> values;
    notes_.for_each([&](Node* table) {
      for (const Ephemeron& ephemeron : table->ephemerons()) {
        if (is_alive(ephemeron.key) && ephemeron.value != nullptr && !heap_.arena.is_marked(ephemeron.value))
          values.push_back(ephemeron.value);
      }
    });
    return values;
  }

  // All dead nodes with finalizers are found before one of them is marked.
  void queue_finalizers() {
    const auto dead = std::stable_partition(heap_.finalizable.begin(), heap_.finalizable.end(),
                                            [this](Node* node) { return heap_.arena.is_marked(node); });
    heap_.finalizer_queue.insert(heap_.finalizer_queue.end(), dead, heap_.finalizable.end());
    heap_.finalizable.erase(dead, heap_.finalizable.end());
    mark(heap_.finalizer_queue);
  }

  // Weak fields that refer to unmarked nodes, which would be swept next, become null.
  void clear_weak_fields() {
    notes_.for_each([this](Node* node) {
      for (Node*& reference : node->weak_references()) {
        if (!is_alive(reference)) reference = nullptr;
      }
      for (Ephemeron& ephemeron : node->ephemerons()) {
        if (!is_alive(ephemeron.key)) ephemeron = {};
      }
    });
  }

  bool is_alive(const Node* node) { return node != nullptr && heap_.arena.is_marked(node); }

  Heap& heap_;
  Marker& marker_;
  WeakNotes notes_;
  ArenaModel model_;
  std::vector<Node*> rescans_;  // reserved beforehand, as it is needed when memory is short
  std::size_t rescan_passes_ = 0;
};
