#include "gc/process/concurrent_cycle.h"

#include <utility>

#include "base/cancellation.h"
#include "base/check.h"
#include "base/own_descriptor.h"
#include "base/system_call_filter.h"
#include "base/work_time.h"
#include "gc/process/threads/own_work.h"

namespace jackdaw::gc {

namespace {

using Clock = std::chrono::steady_clock;

// The reasons for which objects are not marked while the program runs, though that was asked for.
constexpr const char* kNothingTracked =
    "cannot mark while the program runs: the system does not tell which pages are written; collections stop "
    "the program instead";
constexpr const char* kNoThread =
    "cannot mark while the program runs: no thread can be started for it; collections stop the program "
    "instead";

}  // namespace

AllocationAnswer ConcurrentCycle::go_on(const AllocationRequest& request, Lock& lock) {
  JACKDAW_CHECK(lock.owns_lock());
  switch (const Phase now = phase()) {
    case Phase::idle:
      return begin_for(request);
    case Phase::marking:
      parts_.plan.note_refused(request.bytes);
      parts_.plan.set_budget();  // more is granted as time passes
      [[fallthrough]];
    case Phase::sweeping:
      if (void* const object = request.attempt()) return AllocationAnswer::of(object);
      await_end_of(now, parts_.marking.stop_time(), lock);
      return AllocationAnswer::retry();
    case Phase::marked:
      return end_for(request);
  }
  __builtin_unreachable();
}

AllocationAnswer ConcurrentCycle::begin_for(const AllocationRequest& request) {
  note_swept();
  if (!parts_.permission.is_possible()) return {};
  // A sweep may have ended since memory was refused.
  if (parts_.marking.has_thread()) {
    if (void* const object = request.attempt()) return AllocationAnswer::of(object);
  }
  if (!parts_.plan.is_worth_a_cycle()) return attempt_after_sweep(request);
  const CollectionReason reason = parts_.plan.reason_of_refusal_in_cycles(request.bytes);
  if (!parts_.plan.is_next_concurrent() || reason == CollectionReason::out_of_memory ||
      !parts_.plan.may_collect())
    return {};
  parts_.plan.note_refused(request.bytes);
  return begin({request.stack_pointer}, reason) ? AllocationAnswer::retry() : AllocationAnswer{};
}

// A cycle that ended in vain may have freed enough since, in its sweep.
AllocationAnswer ConcurrentCycle::attempt_after_sweep(const AllocationRequest& request) {
  void* const object = parts_.plan.attempt_beyond_budget(request);
  if (object == nullptr) return {};
  parts_.plan.note_answer(true);
  return AllocationAnswer::of(object);
}

AllocationAnswer ConcurrentCycle::end_for(const AllocationRequest& request) {
  // While collections are disabled, no other thread would end it.
  if (!parts_.plan.may_collect()) {
    give_up();
    return {};
  }
  const bool is_over = end_marking({request.stack_pointer});
  void* const object = parts_.plan.attempt_beyond_budget(request);
  parts_.plan.note_answer(object != nullptr);
  if (object != nullptr || !is_over) return AllocationAnswer::of(object);
  return AllocationAnswer::retry();  // the sweep finds more
}

// Waits for the end of the phase, `time` at most. The lock is free meanwhile.
void ConcurrentCycle::await_end_of(Phase phase, std::chrono::nanoseconds time, Lock& lock) {
  struct Wait {
    ConcurrentMarking& marking;
    Phase phase;
    std::chrono::nanoseconds time;
  } wait{parts_.marking, phase, time};
  lock.unlock();
  parts_.threads.call_blocked(
      [](void* argument) {
        const Wait& it = *static_cast<Wait*>(argument);
        it.marking.await_end_of(it.phase, it.time);
      },
      &wait);
  lock.lock();
}

void ConcurrentCycle::give_up() {
  parts_.marking.give_up();
  parts_.plan.note_failed();
  parts_.reports.trace().end(TracePhase::cycle);
  parts_.plan.set_budget();
}

void ConcurrentCycle::finish(Lock& lock) {
  for (Phase now = phase(); now != Phase::idle; now = phase()) {
    if (now == Phase::marked) {
      give_up();
    } else {
      parts_.marking.hurry();
      await_end_of(now, std::chrono::seconds(1), lock);
    }
  }
  note_swept();
}

void ConcurrentCycle::complete(const OwnStack& own_stack, Lock& lock) {
  for (Phase now = phase(); now != Phase::idle; now = phase()) {
    if (now != Phase::marked) {
      await_end_of(now, std::chrono::seconds(1), lock);
    } else if (!parts_.plan.may_collect() || !end_marking(own_stack)) {
      give_up();
    }
  }
  note_swept();
}

void ConcurrentCycle::note_swept() {
  JACKDAW_CHECK(phase() == Phase::idle);
  if (!std::exchange(is_sweep_unnoted_, false)) return;
  const base::WorkTime::Span work(parts_.heap.work_time());
  {
    const ThreadRegistry::CriticalSection critical(parts_.threads.this_thread());
    parts_.heap_limit.look_after_collection();
  }
  parts_.plan.note_swept();
  parts_.scavenger.note_swept();
}

void ConcurrentCycle::after_fork_in_child() {
  parts_.marking.after_fork_in_child();
  is_sweep_unnoted_ = false;
}

bool ConcurrentCycle::begin(const OwnStack& own_stack, CollectionReason reason) {
  JACKDAW_CHECK(parts_.lock.is_held_by_caller());
  const base::CancellationDisabled guard;
  const base::WorkTime::Span work(parts_.heap.work_time());
  parts_.lock.let_nobody_pass();
  // A suspended thread may hold a lock of the C library's that starting another takes.
  if (!parts_.marking.has_thread() && parts_.threads.suspension().has_suspended()) return false;
  if (!parts_.permission.is_granted() && !may_begin_unasked()) return false;
  MarkEngine& marking = world_.prepare_marking(world_.used_bytes());
  if (!start_thread() || !parts_.roots.reserve_first()) return false;
  CollectionTrace& trace = parts_.reports.trace();
  const Clock::time_point start = Clock::now();
  trace.begin(TracePhase::cycle, parts_.counters.collections() + 1);
  const auto first_roots = begin_stopped(own_stack);
  if (!first_roots) {
    trace.end(TracePhase::cycle);
    return false;
  }
  marking.marker().set_most_workers(parts_.plan.most_concurrent_markers());
  parts_.plan.note_cycle_begins(parts_.roots.searched_bytes());
  reason_ = reason;
  const std::chrono::nanoseconds first_pause = parts_.pauses.last_end() - start;
  parts_.counters.note_pause(first_pause);
  parts_.marking.start_marking(*first_roots, first_pause);
  parts_.plan.set_budget();
  return true;
}

// In a process whose system calls are filtered no cycle may begin that was not asked for: a call that the
// filter does not expect can end it. The first cycle opens files, which are closed again where writes to
// tracked pages turn out to take so long that the collection had better stop the program.
bool ConcurrentCycle::may_begin_unasked() {
  if (base::has_system_call_filter()) return parts_.permission.refuse(kNothingTracked);
  if (parts_.marking.has_thread()) return true;
  // To start a thread might wait for one that waits for the collector.
  if (OwnMemory::is_used()) return parts_.permission.refuse(kNoThread);
  base::OwnDescriptor::make_room();
  if (!tracks_writes()) return parts_.permission.refuse(kNothingTracked);
  if (parts_.plan.is_next_concurrent()) return true;
  parts_.marking.stop_tracking();
  return false;
}

// Returns the first roots, or nothing, with nothing changed, when a cycle cannot be begun.
std::optional<std::span<heap::Object* const>> ConcurrentCycle::begin_stopped(const OwnStack& own_stack) {
  const ThreadsStopped threads_stopped(parts_.pauses);
  if (!threads_stopped.knows_static_roots()) return std::nullopt;
  if (!start_tracking()) {
    parts_.permission.refuse(kNothingTracked);
    return std::nullopt;
  }
  parts_.heap.begin_marking();
  return parts_.roots.find_first(world_.roots_of_program(), own_stack);
}

bool ConcurrentCycle::end_marking(const OwnStack& own_stack) {
  const base::CancellationDisabled guard;
  const base::WorkTime::Span work(parts_.heap.work_time());
  parts_.lock.let_nobody_pass();
  CollectionRecord record{.reason = reason_, .used_bytes_before = world_.used_bytes()};
  MarkEngine& marking = parts_.engine.for_heap_of(record.used_bytes_before, false);
  const std::uint64_t allocated = parts_.heap.allocated_bytes();
  parts_.plan.note_marking_ends();
  const Reports::DumpTime dump(parts_.reports, parts_.counters.collections() + 1);
  parts_.hooks.tell(CollectionEvent::start);
  const EndTold end_told(parts_.hooks);
  const Clock::time_point start = Clock::now();
  if (!mark_rest(marking, own_stack, record)) return false;
  record.pause = parts_.pauses.last_end() - start;
  record.concurrent = parts_.marking.record();
  parts_.counters.note_pause(record.concurrent->longest_stop);
  parts_.counters.note_pause(record.pause);
  parts_.plan.note_cycle(start, record.pause, allocated);
  is_sweep_unnoted_ = true;
  // The sweep, which follows, writes its own part of the trace.
  parts_.reports.write_trace();
  parts_.marking.start_sweeping();
  parts_.plan.set_budget();
  parts_.log(record);
  parts_.scavenger.note_collection();
  parts_.dead.ask_procedures();
  parts_.heap_size.tell();
  return true;
}

// Stops the program for the last pause and marks what is left.
bool ConcurrentCycle::mark_rest(MarkEngine& marking, const OwnStack& own_stack, CollectionRecord& record) {
  CollectionTrace& trace = parts_.reports.trace();
  const CollectionTrace::Span collection(trace, TracePhase::collection, parts_.counters.collections() + 1,
                                         record.reason);
  trace.count(TraceCounter::allocated, parts_.heap.allocated_bytes());
  const Clock::time_point start = Clock::now();
  const ThreadsStopped threads_stopped(parts_.pauses);
  if (!threads_stopped.knows_static_roots()) return false;
  parts_.hooks.tell(CollectionEvent::mark_start);
  marking.marker().set_most_workers(marking.marker().worker_count());
  {
    const CollectionTrace::Span remarking(trace, TracePhase::remark);
    parts_.marking.end_marking(marking);
  }
  world_.finish_stopped(own_stack, true);
  CollectionResult& result = parts_.collection.finish(start);
  // The sweep will say how much is live: until then the last collection's figures stand.
  result.live_bytes = parts_.plan.found().live_bytes;
  result.unscanned_bytes = parts_.plan.found().unscanned_bytes;
  record.stopped_threads = threads_stopped.stopped_threads();
  world_.note(result, record);
  return true;
}

// The thread is started by the first cycle, unless that may wait then for one that waits for the collector.
bool ConcurrentCycle::ask_for_cycles() {
  const base::WorkTime::Span work(parts_.heap.work_time());
  parts_.lock.let_nobody_pass();
  if (!parts_.permission.may_be_asked_for()) return false;
  parts_.permission.ask();
  base::OwnDescriptor::make_room();
  // In a cycle writes are tracked already, and pages must not be armed once more.
  if (phase() == Phase::idle && !tracks_writes()) return parts_.permission.refuse(kNothingTracked);
  if (OwnMemory::is_used() && !parts_.threads.suspension().has_suspended() && !start_thread()) return false;
  parts_.permission.grant();
  parts_.plan.set_budget();
  return true;
}

bool ConcurrentCycle::start_thread() {
  return parts_.marking.start_thread() || parts_.permission.refuse(kNoThread);
}

// Returns whether the system tells which pages are written. In phase idle.
bool ConcurrentCycle::tracks_writes() {
  const ThreadsStopped threads_stopped(parts_.pauses);
  return start_tracking();
}

// Soft-dirty bits are the whole process's, and others may look at them: they are left alone unless asked.
bool ConcurrentCycle::start_tracking() {
  return parts_.marking.start_tracking(parts_.permission.is_asked_for() ? WriteTrackingMethod::soft_dirty
                                                                        : WriteTrackingMethod::pagemap_scan);
}

}  // namespace jackdaw::gc
