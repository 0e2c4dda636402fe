// Three heaps of small runtimes, each with its object model, written in the plainest way: the arena of
// examples/embedder; cells with 32-bit indices and marks in a bitmap; objects with marks in their headers.
//
// All have the same interface: objects are numbered from 0 for filling the heap (`set`, `reference_to`), and
// there are the functions that `mark_plainly` needs beside the `Model`.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <jackdaw/object_model.h>
#include "examples/embedder/arena.h"
#include "examples/embedder/arena_model.h"
#include "examples/embedder/weak_notes.h"

namespace jackdaw::bench {

/// Each object has room for this number of references.
inline constexpr std::uint32_t kFields = 3;

class ArenaHeap {
 public:
  using Reference = Node*;
  using Model = ArenaModel;
  static constexpr const char* kName = "arena";

  ArenaHeap(std::uint32_t objects, std::uint32_t workers)
      : arena_(objects * Arena::bytes_of({.edges = kFields})), notes_(workers), model_(arena_, notes_) {
    for (std::uint32_t i = 0; i < objects; ++i) arena_.allocate({.edges = kFields});
  }

  void set(std::uint32_t object, std::uint32_t field, std::uint32_t target) {
    reference_to(object)->edges()[field] = reference_to(target);
  }
  Reference reference_to(std::uint32_t object) const { return arena_.nodes()[object]; }
  bool is_marked(std::uint32_t object) { return arena_.is_marked(reference_to(object)); }
  void clear_marks() { arena_.clear_marks(); }
  Model& model() { return model_; }

  static void prefetch(Node* node) { base::prefetch_to_read(node); }
  bool set_mark(Node* node) {
    std::atomic<std::uint64_t>& word = arena_.mark_word_of(node);
    const std::uint64_t bit = arena_.mark_bit_of(node);
    const std::uint64_t before = word.load(std::memory_order_relaxed);
    if ((before & bit) != 0) return false;
    word.store(before | bit, std::memory_order_relaxed);
    return true;
  }
  template <typename Function>
  void for_each_reference(Node* node, Function function) {
    for (Node* const edge : node->edges()) {
      if (edge != nullptr) function(edge);
    }
    if (node->has_weak_fields()) notes_.note(0, node);
  }

 private:
  Arena arena_;
  WeakNotes notes_;
  Model model_;
};

/// Cells in one array, which refer to one another by number plus one, with a bitmap of marks.
class CellHeap {
 public:
  using Reference = std::uint32_t;
  static constexpr const char* kName = "cells";

  class Model {
   public:
    using Reference = CellHeap::Reference;
    using Task = Reference;

    explicit Model(CellHeap& heap) : heap_(heap) {}

    jackdaw::MarkOutcome<Task> mark(Reference cell, jackdaw::Sharing sharing) {
      if (sharing == jackdaw::Sharing::exclusive) {
        if (!heap_.set_mark(cell)) return {};
      } else {
        if (is_marked(cell)) return {};
        const std::uint64_t before = heap_.word_of(cell).fetch_or(bit_of(cell), std::memory_order_relaxed);
        if ((before & bit_of(cell)) != 0) return {};
      }
      return cell;
    }
    bool is_marked(Reference cell) const { return heap_.has_mark(cell); }
    void prefetch_mark(Reference cell) { jackdaw::prefetch_to_write(&heap_.word_of(cell)); }
    void prefetch(Task cell) { heap_.prefetch(cell); }
    template <typename Sink>
    void visit(Task cell, Sink& sink) {
      heap_.for_each_reference(cell, [&](Reference reference) { sink.reference(reference); });
    }

   private:
    CellHeap& heap_;
  };

  CellHeap(std::uint32_t objects, std::uint32_t)
      : cells_(objects + 1), marks_(objects / 64 + 1), model_(*this) {}

  void set(std::uint32_t object, std::uint32_t field, std::uint32_t target) {
    cells_[object + 1].fields[field] = reference_to(target);
  }
  static Reference reference_to(std::uint32_t object) { return object + 1; }
  bool is_marked(std::uint32_t object) { return has_mark(reference_to(object)); }
  // Relaxed, here and below: a mark orders nothing.
  void clear_marks() {
    for (auto& word : marks_) word.store(0, std::memory_order_relaxed);
  }
  Model& model() { return model_; }

  void prefetch(Reference cell) { base::prefetch_to_read(&cells_[cell]); }
  bool set_mark(Reference cell) {
    std::atomic<std::uint64_t>& word = word_of(cell);
    const std::uint64_t before = word.load(std::memory_order_relaxed);
    if ((before & bit_of(cell)) != 0) return false;
    word.store(before | bit_of(cell), std::memory_order_relaxed);
    return true;
  }
  template <typename Function>
  void for_each_reference(Reference cell, Function function) {
    for (const Reference field : cells_[cell].fields) {
      if (field != 0) function(field);
    }
  }

 private:
  struct Cell {
    std::array<Reference, kFields> fields{};
  };

  std::atomic<std::uint64_t>& word_of(Reference cell) { return marks_[cell / 64]; }
  static std::uint64_t bit_of(Reference cell) { return std::uint64_t{1} << (cell % 64); }
  bool has_mark(Reference cell) {
    return (word_of(cell).load(std::memory_order_relaxed) & bit_of(cell)) != 0;
  }

  std::vector<Cell> cells_;
  std::vector<std::atomic<std::uint64_t>> marks_;
  Model model_;
};

/// Objects with a header that holds the mark.
class HeaderHeap {
  struct Object;

 public:
  using Reference = Object*;
  static constexpr const char* kName = "headers";

  class Model {
   public:
    using Reference = HeaderHeap::Reference;
    using Task = Reference;

    jackdaw::MarkOutcome<Task> mark(Reference object, jackdaw::Sharing sharing) {
      if (sharing == jackdaw::Sharing::exclusive) {
        if (!set_mark(object)) return {};
      } else if (is_marked(object) || object->mark.exchange(1, std::memory_order_relaxed) != 0) {
        return {};
      }
      return object;
    }
    bool is_marked(Reference object) const { return object->mark.load(std::memory_order_relaxed) != 0; }
    void prefetch_mark(Reference object) { jackdaw::prefetch_to_write(object); }
    void prefetch(Task object) { HeaderHeap::prefetch(object); }
    void prefetch_following(Task object) const {
      jackdaw::prefetch_to_read(reinterpret_cast<const char*>(object) + 1024);
    }
    template <typename Sink>
    void visit(Task object, Sink& sink) {
      for_each_reference(object, [&](Reference reference) { sink.reference(reference); });
    }
  };

  HeaderHeap(std::uint32_t objects, std::uint32_t) : objects_(objects) {}

  void set(std::uint32_t object, std::uint32_t field, std::uint32_t target) {
    objects_[object].fields[field] = reference_to(target);
  }
  Reference reference_to(std::uint32_t object) { return &objects_[object]; }
  bool is_marked(std::uint32_t object) { return objects_[object].mark.load(std::memory_order_relaxed) != 0; }
  // Relaxed, here and below: a mark orders nothing.
  void clear_marks() {
    for (Object& object : objects_) object.mark.store(0, std::memory_order_relaxed);
  }
  Model& model() { return model_; }

  static void prefetch(Reference object) { base::prefetch_to_read(object); }
  static bool set_mark(Reference object) {
    if (object->mark.load(std::memory_order_relaxed) != 0) return false;
    object->mark.store(1, std::memory_order_relaxed);
    return true;
  }
  template <typename Function>
  static void for_each_reference(Reference object, Function function) {
    for (std::uint32_t i = 0; i < object->count; ++i) {
      if (object->fields[i] != nullptr) function(object->fields[i]);
    }
  }

 private:
  struct Object {
    std::atomic<std::uint32_t> mark{0};
    std::uint32_t count = kFields;
    std::array<Reference, kFields> fields{};
  };

  std::vector<Object> objects_;
  Model model_;
};

}  // namespace jackdaw::bench
