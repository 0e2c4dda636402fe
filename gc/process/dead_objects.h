// DeadObjects: what becomes of the objects that a collection of a process found dead, from when all that
// roots lead to is marked until their memory is free.
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

/// One for the process. With the collector's lock, where nothing else is said.
class DeadObjects {
 public:
  /// `lock`: the collector's.
  DeadObjects(heap::Heap& heap, Collection& collection, WeakReferences& weak_references, StoppableMutex& lock,
              ThreadRegistry& threads, ProcessCounters& counters)
      : heap_(heap),
        collection_(collection),
        weak_references_(weak_references),
        lock_(lock),
        threads_(threads),
        counters_(counters),
        weak_processing_(collection) {}
  DeadObjects(const DeadObjects&) = delete;
  DeadObjects& operator=(const DeadObjects&) = delete;

  /// The tables of finalizers, weak links and toggle references.
  Finalization& finalization() { return finalization_; }
  [[nodiscard]] const Destructors& destructors() const { return destructors_; }
  /// The program's procedures that are asked about dead objects. Any thread.
  DisclaimProcedures& disclaim_procedures() { return disclaim_procedures_; }
  /// References from outside the heap to objects of C++ types, which become 0 when the objects die. Locked by
  /// itself.
  PersistentNodes& weak_persistents() { return weak_persistents_; }
  /// See FinalizerKind::unreachable. Also before there are other threads.
  void set_java_finalization(bool java) { java_finalization_ = java; }

  /// While the program stands still, when all that roots lead to is marked: clears weak references, makes
  /// finalizers and destructors ready and marks what they need. What is unmarked afterwards may be freed.
  void process();
  /// Whether the sweep is to be over before the program goes on.
  [[nodiscard]] bool needs_sweep_at_once() const { return disclaim_procedures_.holds_any(); }
  /// While the program stands still, when the heap was swept.
  void note_swept() { disclaim_procedures_.unmark_held(); }
  /// When the threads run again: asks the program's procedures, and frees what they give up.
  void ask_procedures() {
    disclaim_procedures_.ask([this](heap::Object* object) { free_explicitly(threads_, counters_, object); });
  }
  /// Calls the destructors that wait. Without the lock: they may allocate and collect. Any thread.
  void run_destructors() {
    destructors_.run(lock_, [this](heap::Object* object) { free_explicitly(threads_, counters_, object); });
  }

  /// Finalizers that were registered since the last collection, if that made some ready; else 0: those that
  /// no collection makes ready are no reason for more collections.
  [[nodiscard]] std::uint64_t new_finalizers() const;

 private:
  void process_finalization();
  void clear_dead();

  heap::Heap& heap_;
  Collection& collection_;
  WeakReferences& weak_references_;
  StoppableMutex& lock_;
  ThreadRegistry& threads_;
  ProcessCounters& counters_;
  WeakProcessing weak_processing_;
  Finalization finalization_;
  bool java_finalization_ = false;
  bool finalized_lately_ = false;        // whether the last collection made a finalizer ready
  std::uint64_t finalizers_before_ = 0;  // registered when the last collection was over
  Destructors destructors_{ProcessKinds::kDestroyed};
  DisclaimProcedures disclaim_procedures_;
  PersistentNodes weak_persistents_;
};

}  // namespace jackdaw::gc
