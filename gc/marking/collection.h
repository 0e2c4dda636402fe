// Collection: one marking and sweeping of a heap from given roots. No other thread may use the heap
// meanwhile, unless the program runs during the marking.
//
// Its user stops the program's threads and finds the roots (Collector, ProcessCollector).
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
  std::chrono::nanoseconds mark_time{0};  ///< gathering roots, clearing marks and marking
  /// The whole, sweeping included, from when the mutators had stopped.
  std::chrono::nanoseconds collect_time{0};
  std::uint64_t live_objects = 0;
  std::uint64_t live_bytes = 0;
  std::uint64_t unscanned_bytes = 0;  ///< those of live_bytes in objects without references
  std::uint64_t mark_passes = 1;      ///< more than one only when memory for the mark stack ran short
};

/// The totals of a collection and the statistics of its workers.
struct CollectionResult : CollectionTotals {
  std::vector<mark::WorkerStatistics> workers;
};

/// Kept from one collection to the next. A collection calls begin(), clear_marks(), mark_some() and
/// mark_further() any number of times, sweep() and finish().
class Collection {
 public:
  /// `weak_references` is the heap's; null: it has none. Throws std::bad_alloc.
  explicit Collection(heap::Heap& heap, WeakReferences* weak_references = nullptr);

  /// To be called before threads are stopped, as it may call malloc: when the marking has more workers than
  /// any before, or the result of finish() was moved away. The calls up to finish() need no malloc then.
  /// Throws std::bad_alloc.
  void begin(MarkEngine& engine);
  /// Clears all marks, with the help of mark threads that are awake. Does not throw.
  void clear_marks();
  /// Marks what is reachable from `roots`, which may be null, but leaves values of ephemerons to the next
  /// mark_further(). Only mark threads ask for memory. Does not throw.
  void mark_some(std::span<heap::Object* const> roots);
  /// Marks what is reachable from `roots`, which may be null, values of ephemerons included. Does not throw.
  void mark_further(std::span<heap::Object* const> roots);
  /// Clears all marks and marks what is reachable from `roots`. Does not throw.
  void mark(std::span<heap::Object* const> roots) {
    clear_marks();
    mark_further(roots);
  }
  /// Marks as mark_some() does, and visits marked objects again.
  void mark_again(std::span<heap::Object* const> roots, std::span<const MarkTask> rescans);
  /// Says whether the program runs during the marking from now on (MarkedHeap::program_runs). Objects that
  /// are then not visited for lack of memory are visited by the first mark_some() after the program has
  /// stopped.
  void set_program_runs(bool runs) { program_runs_ = runs; }
  /// Makes the next mark_some() while the program is stopped visit all marked objects, for a caller without
  /// memory to note those that were not visited. One thread at a time.
  void visit_all_marked_later() { is_complete_ = false; }
  /// Returns the engine, from begin() on.
  [[nodiscard]] MarkEngine& engine() { return *engine_; }
  /// Frees all unmarked objects. Does not throw.
  void sweep(heap::OwnedBlocks owned);
  /// Begins the sweep; Heap::sweep_some frees the objects.
  void start_sweep(heap::OwnedBlocks owned);
  /// Returns the result, which may be moved away. `start` is when the threads had stopped.
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
  base::PageVector<MarkTask> rescans_;  // reserved beforehand, as it is needed when memory is short
};

}  // namespace jackdaw::gc
