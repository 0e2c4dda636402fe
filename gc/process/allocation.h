// AllocationSlowPath: where a thread gets memory that finds no free slot at hand.
//
// It asks the heap, which refuses when the budget is spent; then a collection or a cycle comes, unless
// another thread's came first, and it asks again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gc/process/allocation_request.h"
#include "gc/process/collection_plan.h"
#include "gc/process/concurrent_cycle.h"
#include "gc/process/cycle_permission.h"
#include "gc/process/dead_objects.h"
#include "gc/process/heap_size.h"
#include "gc/process/pauses.h"
#include "gc/process/process_counters.h"
#include "gc/process/stop_the_world.h"
#include "gc/process/threads/stoppable_mutex.h"
#include "heap/heap.h"

namespace jackdaw::gc {

/// One for the process. Any thread.
class AllocationSlowPath {
 public:
  struct Parts {
    heap::Heap& heap;
    StoppableMutex& lock;
    Pauses& pauses;
    DeadObjects& dead;
    const CyclePermission& permission;
    CollectionPlan& plan;
    HeapSize& heap_size;
    StopTheWorld& world;
    ConcurrentCycle& cycle;
    const ProcessCounters& counters;
  };
  explicit AllocationSlowPath(const Parts& parts) : parts_(parts) {}

  /// The memory, or null when there is none even after a collection. With the collector's lock, in a
  /// callback, without a collection.
  void* allocate(const AllocationRequest& request);

 private:
  void* allocate_in_callback(const AllocationRequest& request);
  AllocationAnswer collect_and_allocate(const AllocationRequest& request, std::uint64_t unless_after);
  void* collect_until_found(const AllocationRequest& request);

  const Parts parts_;
};

}  // namespace jackdaw::gc
