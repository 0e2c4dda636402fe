// CollectionPlan: when the next collection of a process comes, how much may be allocated until then, and
// whether it is a cycle that marks while the program runs.
//
// It knows what collections found (GrowthPolicy::Found), what they took (ConcurrentPacing) and how often
// memory was refused, and sets the heap's budget by that.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "gc/marking/collection.h"
#include "gc/process/allocation_request.h"
#include "gc/process/collection_cost.h"
#include "gc/process/concurrent/concurrent_marking.h"
#include "gc/process/concurrent/concurrent_pacing.h"
#include "gc/process/cycle_permission.h"
#include "gc/process/dead_objects.h"
#include "gc/process/growth_policy.h"
#include "gc/process/marking_on_demand.h"
#include "gc/process/process_counters.h"
#include "gc/process/process_hooks.h"
#include "gc/process/process_options.h"
#include "gc/report/collection_reason.h"
#include "gc/report/trace/collection_trace.h"
#include "heap/heap.h"

namespace jackdaw::gc {

/// One for the process. With the collector's lock, or before there are other threads.
class CollectionPlan {
 public:
  using Clock = std::chrono::steady_clock;

  CollectionPlan(const ProcessOptions& options, heap::Heap& heap, const CyclePermission& permission,
                 ConcurrentMarking& concurrent, const MarkingOnDemand& engine, const DeadObjects& dead,
                 const ProcessHooks& hooks, ProcessCounters& counters, CollectionTrace& trace);
  CollectionPlan(const CollectionPlan&) = delete;
  CollectionPlan& operator=(const CollectionPlan&) = delete;

  GrowthPolicy& growth() { return growth_; }
  /// Applies a change of growth().
  void apply_growth();
  /// Applies a change of the number of registered finalizers.
  void apply_finalizers();
  /// Has the heap refuse memory when as much was allocated as is planned. `more`: what a budget that is spent
  /// lets be allocated, nevertheless.
  void set_budget(std::uint64_t more = 0);

  // --- Memory was refused ---

  /// Learns of bytes that the program frees explicitly, of which the budget knows only here. Returns whether
  /// `bytes` may be allocated now.
  bool grant_for_uncounted(std::size_t bytes);
  /// Returns the reason for which an allocation of `bytes` was refused.
  [[nodiscard]] CollectionReason reason_of_refusal(std::size_t bytes) const;
  /// Returns the reason as reason_of_refusal(), where the next collection may be a cycle.
  [[nodiscard]] CollectionReason reason_of_refusal_in_cycles(std::size_t bytes);
  /// Whether a collection for that reason may find memory.
  [[nodiscard]] bool is_worth_a_collection(CollectionReason reason) const;
  /// Whether a cycle may find memory. It finds none where some was refused and little was allocated since: a
  /// request that the heap has no room for would begin cycles for ever.
  [[nodiscard]] bool is_worth_a_cycle() const { return refusals_ == 0 || has_allocated_much(); }
  /// Whether so much was allocated since the last collection that another may find memory.
  [[nodiscard]] bool has_allocated_much() const;
  /// Whether the heap grants `bytes` as long as nothing was allocated since the last collection.
  [[nodiscard]] bool grants_at_first(std::size_t bytes) const {
    return bytes <= growth_.budget_while_growing(found_);
  }
  /// Whether one more is to be tried.
  [[nodiscard]] bool may_collect_more() const { return refusals_ <= growth_.more_collections_when_exhausted; }
  /// Whether memory was found.
  void note_answer(bool was_found) { refusals_ = was_found ? 0 : refusals_ + 1; }
  /// Has the next refusal count as the first, since the heap's limit has changed.
  void forget_refusals() { refusals_ = 0; }
  /// Attempts an allocation that the budget alone refuses, for this thread only: others allocate, too.
  void* attempt_beyond_budget(const AllocationRequest& request);
  /// Notes that `bytes` were refused to a thread, maybe because the heap would have had to grow.
  void note_refused(std::size_t bytes);

  // --- When to collect, and how ---

  /// While more disable() than enable() calls were made, no allocation collects. Any thread, all three.
  // Relaxed, both: a thread sees its own calls in order; another's allocation may come before or after.
  void disable() { disabled_.fetch_add(1, std::memory_order_relaxed); }
  void enable() { disabled_.fetch_sub(1, std::memory_order_relaxed); }
  [[nodiscard]] bool is_disabled() const { return disabled_.load(std::memory_order_relaxed) != 0; }
  /// Whether collections are not disabled, and `declines`, where it is not null, returns zero.
  [[nodiscard]] bool may_collect(int (*declines)()) const {
    return !is_disabled() && (declines == nullptr || declines() == 0);
  }
  /// Whether the program, too, lets a collection begin that it did not ask for.
  [[nodiscard]] bool may_collect() const { return may_collect(hooks_.declines); }
  /// Has the next thread that needs a block collect, since memory is short. False where little would be
  /// found, no collection may come by itself, or a cycle is under way.
  bool ask_for_collection();
  /// Whether the budget is used up but for a block.
  [[nodiscard]] bool is_due();
  [[nodiscard]] bool is_cycle_under_way() const {
    return concurrent_.phase() != ConcurrentMarking::Phase::idle;
  }
  /// Whether the sweep of a cycle is under way.
  [[nodiscard]] bool is_sweeping() const { return concurrent_.phase() == ConcurrentMarking::Phase::sweeping; }
  /// Whether the next collection is to be a cycle.
  [[nodiscard]] bool is_next_concurrent();
  /// Threads that mark while the program runs, at most.
  [[nodiscard]] std::uint32_t most_concurrent_markers() const { return most_concurrent_markers_; }

  // --- What collections found ---

  [[nodiscard]] const GrowthPolicy::Found& found() const { return found_; }
  /// Returns the bytes of blocks that the heap may take until the next collection, when a sweep is over,
  /// however much of the budget is spent.
  [[nodiscard]] std::uint64_t expected_use() const {
    // Small enough that sums do not overflow.
    constexpr std::uint64_t kMostBudget = std::numeric_limits<std::uint64_t>::max() / 4;
    GrowthPolicy::Found swept = found_;
    swept.live_bytes = heap_.swept().live_bytes;
    swept.unscanned_bytes = heap_.swept().unscanned_bytes;
    const std::uint64_t used = heap_.usage().used;
    return used - std::min(used, heap_.allocated_bytes()) +
           std::min(growth_.budget_while_growing(swept), kMostBudget);
  }
  /// Returns the bytes that the heap may always take.
  [[nodiscard]] std::uint64_t minimum_heap() const { return growth_.minimum_heap(found_); }
  /// Notes what a collection found, which searched `root_bytes` of roots, while the program is stopped.
  void note(const CollectionTotals& result, CollectionReason reason, std::uint64_t root_bytes);
  /// Notes that a collection stopped the program from `start` on, for `pause`. Before it `live_before` bytes
  /// were live, and `allocated` were allocated.
  void note_stopped(Clock::time_point start, Clock::duration pause, std::uint64_t live_before,
                    std::uint64_t allocated);
  /// Notes that all collectable objects were dropped between `start` and `end`, when `allocated` bytes were
  /// allocated since the last collection. Its pause says nothing of one that marks.
  void note_dropped(Clock::time_point start, Clock::time_point end, std::uint64_t allocated) {
    pacing_.note_allocated(start, end, allocated);
  }
  /// Notes that a cycle begins, which searched `root_bytes` of roots.
  void note_cycle_begins(std::uint64_t root_bytes);
  /// Notes that a cycle's marking ends.
  void note_marking_ends() { pacing_.end(heap_.allocated_bytes()); }
  /// Notes that a cycle is over but for its sweep. Its last pause began at `start`, when `allocated` bytes
  /// were allocated.
  void note_cycle(Clock::time_point start, Clock::duration pause, std::uint64_t allocated);
  /// Notes that a cycle was given up.
  void note_failed() { pacing_.note_failed(); }
  /// Notes what the sweep of the last cycle found, which is over, unless that is noted.
  void note_swept();
  /// Has no more of the heap's room count for the budget until the next collection than a heap of
  /// `heap_bytes` would have. Does nothing in a cycle.
  void limit_room(std::uint64_t heap_bytes);
  /// Forgets the other threads and the cycle, which the child of a fork does not have.
  void after_fork_in_child();

 private:
  struct Budgets {
    std::uint64_t all;
    std::uint64_t while_growing;
  };
  [[nodiscard]] Budgets planned_budgets();
  [[nodiscard]] CollectionReason reason_of_refusal(std::size_t bytes, std::uint64_t budget) const;
  [[nodiscard]] std::uint64_t uncounted_bytes() const {
    return hooks_.uncounted_bytes != nullptr ? hooks_.uncounted_bytes() : 0;
  }
  void note_allocating_threads();

  heap::Heap& heap_;
  const CyclePermission& permission_;
  ConcurrentMarking& concurrent_;
  const MarkingOnDemand& engine_;
  const DeadObjects& dead_;
  const ProcessHooks& hooks_;
  ProcessCounters& counters_;
  CollectionTrace& trace_;
  const std::uint32_t processors_;
  const std::uint32_t most_concurrent_markers_;
  std::atomic<std::uint32_t> disabled_{0};
  GrowthPolicy growth_;
  GrowthPolicy::Found found_;  // by the last collection; see limit_room()
  ConcurrentPacing pacing_;
  CollectionCost cost_;
  bool is_asked_ = false;               // by ask_for_collection(), since the last collection
  bool is_sweep_unnoted_ = false;       // of the last cycle
  std::uint64_t uncounted_before_ = 0;  // at the last collection
  std::uint64_t refusals_ = 0;          // of memory, since some was last found
};

}  // namespace jackdaw::gc
