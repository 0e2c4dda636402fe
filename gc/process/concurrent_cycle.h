// ConcurrentCycle: a collection of a process that marks while the program runs, as far as threads of the
// program decide on it.
//
//   idle      begin(): a thread that was refused memory, or the program itself, begins a cycle, if the plan
//             says so: it stops the others and finds the first roots
//   marking   the marking thread marks (ConcurrentMarking); a thread that is refused memory waits for a while
//   marked    end_marking(): the next thread that is refused memory stops the others and marks what is left;
//             or give_up(), where no collection may come
//   sweeping  the marking thread sweeps, and so does each thread that needs memory; then the cycle is idle
//             again, and the scavenger or the next thread that needs a collection has the plan note what
//             the sweep found (note_swept())
//
// The parts in concurrent/ know no other collection. The cycle stops the world by StopTheWorld.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>

#include "gc/process/allocation_request.h"
#include "gc/process/collector_parts.h"
#include "gc/process/concurrent/concurrent_marking.h"
#include "gc/process/stop_the_world.h"
#include "gc/process/threads/stack_state.h"
#include "gc/process/threads/stoppable_mutex.h"
#include "gc/report/collection_reason.h"
#include "heap/object.h"

namespace jackdaw::gc {

/// One for the process. With the collector's lock.
class ConcurrentCycle {
 public:
  using Phase = ConcurrentMarking::Phase;
  using Lock = std::unique_lock<StoppableMutex>;

  ConcurrentCycle(CollectorParts& parts, StopTheWorld& world) : parts_(parts), world_(world) {}

  [[nodiscard]] Phase phase() const { return parts_.marking.phase(); }

  /// Does a mutator's part of a cycle when it was refused memory: begins one, waits for it, or ends its
  /// marking. `lock`, the collector's, may be released meanwhile. Throws std::bad_alloc, with nothing
  /// changed.
  AllocationAnswer go_on(const AllocationRequest& request, Lock& lock);
  /// Begins a cycle, in phase idle. Returns false, with nothing changed, when it cannot be begun. Throws
  /// std::bad_alloc, with nothing changed.
  bool begin(const OwnStack& own_stack, CollectionReason reason = CollectionReason::allocation);
  /// Ends the marking, in phase marked: stops the program and does all that is left but the sweep. Returns
  /// false, with nothing changed, when there was no memory to note all static data.
  bool end_marking(const OwnStack& own_stack);
  /// Returns when no cycle is under way. A marking is given up: to make use of it would be a collection, and
  /// these may be disabled. `lock`, the collector's, may be released meanwhile.
  void finish(Lock& lock);

  /// Returns when no cycle is under way, as finish() does, but ends the marking, unless no collection may
  /// come now. Throws std::bad_alloc.
  void complete(const OwnStack& own_stack, Lock& lock);

  /// Has a collection be a cycle from now on where it would stop the program for longer than the pause
  /// target, not only for much longer. False when the options forbid that, or, with a line on the error
  /// output, the system does. Stops the threads for a moment. The calling thread is registered.
  bool ask_for_cycles();
  /// Has the plan note what the sweep of the last cycle found, unless it has. To be called in phase idle,
  /// before the plan is asked whether a collection is due and before any other collection.
  void note_swept();
  /// Gives up the cycle under way, in whatever phase, in the child of a fork.
  void after_fork_in_child();
  /// Starts the marking thread, unless it is there; false, and cycles are refused, when it cannot be started.
  bool start_thread();

 private:
  AllocationAnswer begin_for(const AllocationRequest& request);
  AllocationAnswer attempt_after_sweep(const AllocationRequest& request);
  AllocationAnswer end_for(const AllocationRequest& request);
  void await_end_of(Phase phase, std::chrono::nanoseconds time, Lock& lock);
  void give_up();
  std::optional<std::span<heap::Object* const>> begin_stopped(const OwnStack& own_stack);
  bool mark_rest(MarkEngine& marking, const OwnStack& own_stack, CollectionRecord& record);
  bool may_begin_unasked();
  bool tracks_writes();
  bool start_tracking();

  CollectorParts& parts_;
  StopTheWorld& world_;
  CollectionReason reason_ = CollectionReason::allocation;  // of the cycle under way
  bool is_sweep_unnoted_ = false;                           // of the last cycle
};

}  // namespace jackdaw::gc
