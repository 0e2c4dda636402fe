// CollectorParts: what the collections of a process share.
#pragma once

#include <chrono>

#include "gc/marking/collection.h"
#include "gc/process/collection_plan.h"
#include "gc/process/concurrent/concurrent_marking.h"
#include "gc/process/cycle_permission.h"
#include "gc/process/dead_objects.h"
#include "gc/process/heap_limit.h"
#include "gc/process/heap_size.h"
#include "gc/process/marking_on_demand.h"
#include "gc/process/pauses.h"
#include "gc/process/process_counters.h"
#include "gc/process/process_hooks.h"
#include "gc/process/process_options.h"
#include "gc/process/profiling.h"
#include "gc/process/reports.h"
#include "gc/process/roots/root_set.h"
#include "gc/process/scavenger.h"
#include "gc/process/threads/stoppable_mutex.h"
#include "gc/process/threads/thread_registry.h"
#include "gc/report/collection_log.h"
#include "gc/weak/weak_references.h"
#include "heap/heap.h"

namespace jackdaw::gc {

/// One for the process. Each part knows only those that stand before it. Throws std::bad_alloc.
struct CollectorParts {
  explicit CollectorParts(const ProcessOptions& options);
  CollectorParts(const CollectorParts&) = delete;
  CollectorParts& operator=(const CollectorParts&) = delete;

  /// Returns the processor time that the collector has taken: of its own threads, and of threads of the
  /// program where they collect, or sweep to allocate. With the collector's lock. A system call for each of
  /// its threads.
  [[nodiscard]] std::chrono::nanoseconds processor_time() const {
    return heap.work_time().total() + engine.helpers_time() + marking.thread_time() + scavenger.thread_time();
  }
  /// Has the log write a line, and the metrics written, where they are. With the collector's lock.
  void log(const CollectionRecord& record) {
    if (reports.has_log()) reports.log(record, processor_time());
    if (reports.has_metrics()) reports.write_metrics(metrics());
  }
  /// Returns what the collector has done so far. With the collector's lock.
  [[nodiscard]] CollectorMetrics metrics() const {
    return {.collections = counters.collections(),
            .all_pauses = counters.all_pauses(),
            .longest_pause = counters.longest_pause(),
            .processor_time = processor_time(),
            .allocated_bytes = heap.usage().allocated,
            .live_bytes = counters.live_bytes(),
            .heap_bytes = heap.bytes(),
            .free_bytes = heap.usage().free,
            .given_back_bytes = heap.usage().given_back};
  }

  heap::Heap heap;
  HeapLimit heap_limit;
  StoppableMutex lock;
  ProcessCounters counters;
  ProcessHooks hooks;
  Reports reports;
  ThreadRegistry threads;
  Profiling profiling;
  MarkingOnDemand engine;
  WeakReferences weak_references;
  Collection collection;
  DeadObjects dead;
  RootSet roots;
  Pauses pauses;
  ConcurrentMarking marking;
  CyclePermission permission;
  CollectionPlan plan;
  HeapSize heap_size;
  Scavenger scavenger;
};

}  // namespace jackdaw::gc
