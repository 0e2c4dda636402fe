// AllocationSlowPath: the way to memory for a thread that has no free slots at hand.
//
// It asks the heap, which refuses when the budget is spent. Then StopTheWorld collects, sweep included, or
// ConcurrentCycle begins or ends a cycle, unless another thread did so first, and the heap is asked again.
#pragma once

#include <cstdint>

#include "gc/process/allocation_request.h"
#include "gc/process/collector_parts.h"
#include "gc/process/concurrent_cycle.h"
#include "gc/process/stop_the_world.h"

namespace jackdaw::gc {

/// One for the process. Any thread.
class AllocationSlowPath {
 public:
  AllocationSlowPath(CollectorParts& parts, StopTheWorld& world, ConcurrentCycle& cycle)
      : parts_(parts), world_(world), cycle_(cycle) {}

  /// The memory, or null when there is none even after a collection. With the collector's lock, in a
  /// callback, without a collection.
  void* allocate(const AllocationRequest& request);

 private:
  // Returns the number of times that there may be memory again, known without the heap's lock.
  [[nodiscard]] std::uint64_t news() const {
    return parts_.counters.collections() + parts_.heap_limit.looks();
  }
  void* allocate_in_callback(const AllocationRequest& request);
  AllocationAnswer collect_and_allocate(const AllocationRequest& request, std::uint64_t unless_after);
  bool collects(const AllocationRequest& request);
  void* collect_until_found(const AllocationRequest& request);
  void* attempt_at_last(const AllocationRequest& request);

  CollectorParts& parts_;
  StopTheWorld& world_;
  ConcurrentCycle& cycle_;
};

}  // namespace jackdaw::gc
