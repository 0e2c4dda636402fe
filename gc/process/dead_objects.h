// DeadObjects: handles the dead objects of a process's collection, from the end of the marking from roots
// until their memory is free.
#pragma once

#include <cstdint>

#include "gc/finalization/destructors.h"
#include "gc/finalization/disclaim_procedures.h"
#include "gc/finalization/finalization.h"
#include "gc/finalization/weak_processing.h"
#include "gc/marking/collection.h"
#include "gc/process/explicit_free.h"
#include "gc/process/process_kinds.h"
#include "gc/process/roots/persistent_nodes.h"
#include "gc/process/threads/stoppable_mutex.h"
#include "gc/weak/weak_references.h"
#include "heap/heap.h"

namespace jackdaw::gc {

/// One for the process. With the collector's lock, unless a function says otherwise.
class DeadObjects {
 public:
  /// `lock` is the collector's.
  DeadObjects(heap::Heap& heap, Collection& collection, WeakReferences& weak_references, StoppableMutex& lock,
              ThreadRegistry& threads, ProcessCounters& counters, Profiling& profiling)
      : heap_(heap),
        collection_(collection),
        weak_references_(weak_references),
        lock_(lock),
        threads_(threads),
        counters_(counters),
        profiling_(profiling),
        weak_processing_(collection),
        finalization_(heap) {}
  DeadObjects(const DeadObjects&) = delete;
  DeadObjects& operator=(const DeadObjects&) = delete;

  /// The tables of finalizers, weak links and toggle references.
  Finalization& finalization() { return finalization_; }
  [[nodiscard]] const Destructors& destructors() const { return destructors_; }
  /// Returns the program's disclaim procedures. Any thread.
  DisclaimProcedures& disclaim_procedures() { return disclaim_procedures_; }
  /// Returns the references from outside the heap to objects of C++ types that become null when the objects
  /// die. They have a lock of their own.
  PersistentNodes& weak_persistents() { return weak_persistents_; }
  /// See FinalizerKind::unreachable. May be called without the lock before there are other threads.
  void set_java_finalization(bool java) { java_finalization_ = java; }

  /// Calls `report(Visitor&)` and marks what it reports, and all that this refers to, until it reports
  /// nothing that is unmarked. While the program is stopped, after the marking from roots.
  void mark_more(void (*report)(Visitor& visitor));
  /// Clears weak references, makes finalizers and destructors ready and marks what they need. Unmarked
  /// objects may then be freed. While the program is stopped, after the marking from roots.
  void process();
  /// Keeps uncollectable objects, and those that wait for their destructors, but nothing that they refer to,
  /// in place of a marking and process(). Weak references to others are cleared, and all finalizers
  /// forgotten. While the program is stopped.
  void drop();
  /// Whether the sweep must be over before the program runs again.
  [[nodiscard]] bool needs_sweep_at_once() const { return disclaim_procedures_.holds_any(); }
  /// To be called while the program is stopped, after the sweep.
  void note_swept() { disclaim_procedures_.unmark_held(); }
  /// Calls the program's disclaim procedures, and frees what they give up, when the threads run again.
  void ask_procedures() {
    disclaim_procedures_.ask(
        [this](heap::Object* object) { free_explicitly(threads_, counters_, profiling_, object); });
  }
  /// Calls the destructors that wait. Without the lock, since they may allocate and collect. Any thread.
  void run_destructors() {
    destructors_.run(
        lock_, [this](heap::Object* object) { free_explicitly(threads_, counters_, profiling_, object); });
  }

  /// Returns how many finalizers were registered since the last collection, or 0 if that made none ready:
  /// finalizers that never become ready are no reason for more collections.
  [[nodiscard]] std::uint64_t new_finalizers() const;

 private:
  void process_finalization();
  void clear_dead();
  void clear_weak_persistents();

  heap::Heap& heap_;
  Collection& collection_;
  WeakReferences& weak_references_;
  StoppableMutex& lock_;
  ThreadRegistry& threads_;
  ProcessCounters& counters_;
  Profiling& profiling_;
  WeakProcessing weak_processing_;
  Finalization finalization_;
  bool java_finalization_ = false;
  bool finalized_lately_ = false;        // the last collection made a finalizer ready
  std::uint64_t finalizers_before_ = 0;  // registered when the last collection was over
  Destructors destructors_{ProcessKinds::kDestroyed};
  DisclaimProcedures disclaim_procedures_;
  PersistentNodes weak_persistents_;
};

}  // namespace jackdaw::gc
