// CollectorParts: what the collections of a process share.
#pragma once

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
#include "gc/process/reports.h"
#include "gc/process/roots/root_set.h"
#include "gc/process/scavenger.h"
#include "gc/process/threads/stoppable_mutex.h"
#include "gc/process/threads/thread_registry.h"
#include "gc/weak/weak_references.h"
#include "heap/heap.h"

namespace jackdaw::gc {

/// One for the process. Each part knows only those that stand before it. Throws std::bad_alloc.
struct CollectorParts {
  explicit CollectorParts(const ProcessOptions& options);
  CollectorParts(const CollectorParts&) = delete;
  CollectorParts& operator=(const CollectorParts&) = delete;

  heap::Heap heap;
  HeapLimit heap_limit;
  StoppableMutex lock;
  ProcessCounters counters;
  ProcessHooks hooks;
  Reports reports;
  ThreadRegistry threads;
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
