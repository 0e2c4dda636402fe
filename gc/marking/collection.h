// Collection: one marking and sweeping of a heap, from roots that are given, while nobody else uses it.
//
// It is driven by what stops the program's threads and knows the roots (Collector, ProcessCollector).
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "base/page_vector.h"
#include "gc/marking/mark_engine.h"
#include "gc/marking/mark_task.h"
#include "gc/weak/weak_references.h"
#include "heap/heap.h"
#include "heap/object.h"
#include "mark/statistics.h"

namespace jackdaw::gc {

/// The totals of a collection.
struct CollectionTotals {
  std::chrono::nanoseconds mark_time{0};  ///< roots, clearing marks, marking
  std::chrono::nanoseconds collect_time{
      0};  ///< the whole, sweeping included, from when the mutators had stopped
  std::uint64_t live_objects = 0;
  std::uint64_t live_bytes = 0;
  std::uint64_t unscanned_bytes = 0;  ///< of them, those of objects without references
  std::uint64_t mark_passes = 1;      ///< more than one only when memory for the mark stack ran short
};

/// The totals of a collection and the statistics of its workers.
struct CollectionResult : CollectionTotals {
  std::vector<mark::WorkerStatistics> workers;
};

/// Kept from one collection to the next. Each is a begin(), a clear_marks(), any number of mark_some() and
/// mark_further(), a sweep() and a finish().
class Collection {
 public:
  /// `weak_references`: of the heap; null: it has none. Throws std::bad_alloc.
  explicit Collection(heap::Heap& heap, WeakReferences* weak_references = nullptr);

  /// Before threads are stopped that may hold malloc's lock: this asks it for memory, if the marking has more
  /// workers than any before or finish()'s result was moved away, which what comes before finish() does not.
  /// Throws std::bad_alloc.
  void begin(MarkEngine& engine);
  /// Nothing is marked from now on. Mark threads that are awake help. Does not throw.
  void clear_marks();
  /// Marks what `roots` lead to besides what is marked, but no values of ephemerons: that is left to the next
  /// mark_further(). Roots may be null. Asks for no memory but the mark threads'. Does not throw.
  void mark_some(std::span<heap::Object* const> roots);
  /// Marks what `roots` lead to besides what is marked. Roots may be null. Does not throw.
  void mark_further(std::span<heap::Object* const> roots);
  /// The first of them: marks what `roots` lead to, and nothing else. Does not throw.
  void mark(std::span<heap::Object* const> roots) {
    clear_marks();
    mark_further(roots);
  }
  /// Marks as mark_some() does, and visits marked objects again.
  void mark_again(std::span<heap::Object* const> roots, std::span<const MarkTask> rescans);
  /// Whether the program runs while objects are marked from now on (MarkedHeap::program_runs). Objects that
  /// cannot be visited then for lack of memory are visited by the next mark_some() after the program has
  /// stopped.
  void set_program_runs(bool runs) { program_runs_ = runs; }
  /// Some marked objects were not visited: the next mark_some() when the program has stopped visits all that
  /// are marked. For callers without memory to remember them. One thread at a time.
  void visit_all_marked_later() { is_complete_ = false; }
  /// The engine, from begin() on.
  [[nodiscard]] MarkEngine& engine() { return *engine_; }
  /// Frees what is not marked. Does not throw.
  void sweep(heap::OwnedBlocks owned);
  /// Begins the sweep: no object is freed before Heap::sweep_some says so.
  void start_sweep(heap::OwnedBlocks owned);
  /// The collection's result, timed from `start`, when the threads had stopped. May be moved away.
  CollectionResult& finish(std::chrono::steady_clock::time_point start);

  [[nodiscard]] const heap::Heap& heap() const { return heap_; }
  [[nodiscard]] WeakReferences* weak_references() const { return weak_references_; }

 private:
  bool mark_pass(std::span<heap::Object* const> roots, std::span<const MarkTask> rescans);
  bool rescan_marked();

  heap::Heap& heap_;
  WeakReferences* const weak_references_;
  MarkEngine* engine_ = nullptr;
  bool program_runs_ = false;
  bool is_complete_ = true;
  std::chrono::steady_clock::time_point marked_;
  CollectionResult result_;
  base::PageVector<MarkTask> rescans_;  // reserved beforehand: it is needed when memory is short
};

}  // namespace jackdaw::gc
