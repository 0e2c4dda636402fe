// The cycles of a ProcessCollector that marks while the program runs: when each of its phases begins and
// ends, as far as threads of the program decide on that (ConcurrentMarking).
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "base/cancellation.h"
#include "base/check.h"
#include "base/own_descriptor.h"
#include "base/warn.h"
#include "gc/process/dump_preparation.h"
#include "gc/process/process_collector.h"
#include "gc/process/threads/own_work.h"
#include "gc/process/threads/stack_pointer.h"
#include "gc/process/threads_stopped.h"

namespace jackdaw::gc {

namespace {

using Clock = std::chrono::steady_clock;

// Why objects are not marked while the program runs, though somebody asked for it.
constexpr const char* kNothingTracked =
    "cannot mark while the program runs: the system does not tell which pages are written; collections stop "
    "the program instead";
constexpr const char* kNoThread =
    "cannot mark while the program runs: no thread can be started for it; collections stop the program "
    "instead";
// Where nobody asked for cycles, one must promise to make pauses so many times shorter: where the program
// allocates little in it, and where its heap may grow. A cycle takes kTimesLonger times as long as to stop
// the program, with as many mark threads.
constexpr int kLeastTimesShorter = 10;
constexpr int kManyTimesShorter = 20;
constexpr double kTimesLonger = 2;
// However much memory the heap has, a cycle is to be over when so many times as much was allocated as may be
// where the heap would have to grow. Else one that took long, in which it grew, would make all later ones
// rare, and what waits for them more.
constexpr std::uint64_t kMostTimesLater = 3;
std::uint64_t most_of_cycle(std::uint64_t all, std::uint64_t growing) {
  return growing > all / kMostTimesLater ? all : kMostTimesLater * growing;
}

}  // namespace

// What a thread does that was refused memory, where objects are marked concurrently, with what
// collect_and_allocate is to return; nothing when a cycle is no help.
std::optional<std::optional<void*>> ProcessCollector::go_on_concurrently(ProcessThread& thread,
                                                                         const Request& request) {
  JACKDAW_CHECK(collecting_.is_held_by_caller());
  using Phase = ConcurrentMarking::Phase;
  const std::optional<void*> try_again;
  const OwnStack own_stack{request.stack_pointer};
  switch (const Phase phase = concurrent_.phase()) {
    case Phase::idle: {
      note_swept();
      // Since it was refused a sweep may have ended.
      if (concurrent_.has_thread()) {
        if (void* const object = try_to_allocate(thread, request)) return object;
      }
      const CollectionReason reason = reason_of_refusal(request.bytes, planned_budgets().while_growing);
      if (!is_next_concurrent() || reason == CollectionReason::out_of_memory || !may_collect(hooks_.declines))
        return std::nullopt;
      note_refused(request.bytes);
      if (!begin_concurrent_marking(own_stack, reason)) return std::nullopt;
      return try_again;
    }
    case Phase::marking:
      note_refused(request.bytes);
      set_budget();  // more is granted as time passes
      [[fallthrough]];
    case Phase::sweeping:
      if (void* const object = try_to_allocate(thread, request)) return object;
      await_end_of(phase, concurrent_.stop_time());
      return try_again;
    case Phase::marked:
      break;
  }
  // While collections are disabled, nobody else would end it.
  if (!may_collect(hooks_.declines)) {
    give_up_marking();
    return std::nullopt;
  }
  const bool is_over = end_concurrent_marking(own_stack);
  void* const object = allocate_beyond_budget(thread, request);
  if (object != nullptr || !is_over) return object;
  return try_again;  // the sweep finds more
}

// Or for so long. The lock is released meanwhile.
void ProcessCollector::await_end_of(ConcurrentMarking::Phase phase, std::chrono::nanoseconds time) {
  struct Wait {
    ConcurrentMarking& marking;
    ConcurrentMarking::Phase phase;
    std::chrono::nanoseconds time;
  } wait{concurrent_, phase, time};
  collecting_.unlock();
  threads_.call_blocked(
      [](void* argument) {
        const Wait& it = *static_cast<Wait*>(argument);
        it.marking.await_end_of(it.phase, it.time);
      },
      &wait);
  collecting_.lock();
}

void ProcessCollector::give_up_marking() {
  concurrent_.give_up();
  pacing_.note_failed();
  trace_.end(TracePhase::cycle);
  set_budget();
}

// Until no cycle is under way. The lock may be released meanwhile. A marking is given up: to make use of it
// would be a collection, and these may be disabled.
void ProcessCollector::end_cycle() {
  using Phase = ConcurrentMarking::Phase;
  for (Phase phase = concurrent_.phase(); phase != Phase::idle; phase = concurrent_.phase()) {
    if (phase == Phase::marked) {
      give_up_marking();
    } else {
      concurrent_.hurry();
      await_end_of(phase, std::chrono::seconds(1));
    }
  }
}

// False, and nothing changed, when it cannot be begun.
bool ProcessCollector::begin_concurrent_marking(const OwnStack& own_stack, CollectionReason reason) {
  const base::CancellationDisabled guard;
  collecting_.let_nobody_pass();
  // A thread that stands still may hold a lock of the C library's that starting another takes.
  if (!concurrent_.has_thread() && threads_.has_suspended()) return false;
  if (!marks_concurrently() && !may_begin_unasked()) return false;
  Marking& marking = prepare_marking(live_bytes() + heap_.allocated_bytes());
  if (!start_concurrent_thread()) return false;
  if (first_roots_.empty()) first_roots_ = base::PageArray<heap::Object*>(kMostFirstRoots);
  if (first_roots_.empty()) return false;
  const Clock::time_point start = Clock::now();
  trace_.begin(TracePhase::cycle, collections() + 1);
  const auto first_roots = begin_stopped(own_stack);
  if (!first_roots) {
    trace_.end(TracePhase::cycle);
    return false;
  }
  marking.set_most_workers(most_concurrent_markers_);
  pacing_.begin(heap_.allocated_bytes());
  cycle_reason_ = reason;
  // The cycle is the collection that the threshold asks for.
  if (!growth_.grows_only_when_it_must) heap_.budget().set_growth_threshold(0);
  concurrent_.record() = {.first_pause = Clock::now() - start};
  concurrent_.start_marking(*first_roots);
  set_budget();
  return true;
}

// Whether the next collection is to be a cycle.
bool ProcessCollector::is_next_concurrent() {
  const std::chrono::milliseconds tolerated = concurrent_.tolerated_stop();
  const std::uint64_t allocated = std::max(heap_.allocated_bytes(), growth_.budget_while_growing(found_));
  if (marks_concurrently()) return pacing_.takes_longer(tolerated, live_bytes(), allocated);
  // A target of 0 is for programs that ask: no pause is so short.
  const std::chrono::milliseconds promised = std::max(pause_target(), std::chrono::milliseconds(1));
  const auto makes_shorter = [&](int times) {
    return pacing_.surely_takes_longer(std::max(tolerated, times * promised), live_bytes(), allocated);
  };
  if (!marks_unasked_ || !makes_shorter(kLeastTimesShorter)) return false;
  const double fewer = std::max(1.0, static_cast<double>(mark_threads()) / most_concurrent_markers_);
  return makes_shorter(kManyTimesShorter) ||
         pacing_.allocates_little(Clock::now(), heap_.allocated_bytes(), kTimesLonger * fewer);
}

// Whether a cycle may begin that nobody asked for. In a process whose system calls are filtered none may: a
// call that the filter does not expect can end it. The first cycle opens files, which are closed again where
// writes to tracked pages turn out to take so long that the collection had better stop the program.
bool ProcessCollector::may_begin_unasked() {
  if (prctl(PR_GET_SECCOMP) > 0) return collect_by_stopping(kNothingTracked);
  if (concurrent_.has_thread()) return true;
  // To start a thread might wait for one that waits for the collector.
  if (OwnMemory::is_used()) return collect_by_stopping(kNoThread);
  base::OwnDescriptor::make_room();
  if (!tracks_writes()) return collect_by_stopping(kNothingTracked);
  if (is_next_concurrent()) return true;
  concurrent_.stop_tracking();
  return false;
}

// The first roots; nothing, and nothing changed, when a cycle cannot be begun.
std::optional<std::span<heap::Object* const>> ProcessCollector::begin_stopped(const OwnStack& own_stack) {
  const ThreadsStopped threads_stopped(*this);
  if (!threads_stopped.knows_static_roots()) return std::nullopt;
  if (!start_tracking()) {
    collect_by_stopping(kNothingTracked);
    return std::nullopt;
  }
  heap_.begin_marking();
  return gather_first_roots(own_stack);
}

// They are not marked now; those that there is no room for are in the last pause.
std::span<heap::Object* const> ProcessCollector::gather_first_roots(const OwnStack& own_stack) {
  root_count_ = 0;
  found_.root_bytes = 0;
  gathered_ = {first_roots_.data(), first_roots_.size()};
  gather_roots(own_stack);
  define_gathered();
  gathered_ = {roots_.data(), roots_.size()};
  return {first_roots_.data(), root_count_};
}

// False, and nothing changed, when there was no memory to note all static data.
bool ProcessCollector::end_concurrent_marking(const OwnStack& own_stack) {
  const base::CancellationDisabled guard;
  collecting_.let_nobody_pass();
  CollectionRecord record{.reason = cycle_reason_,
                          .used_bytes_before = live_bytes() + heap_.allocated_bytes()};
  Marking& marking = marking_.for_heap_of(record.used_bytes_before, false);
  const std::uint64_t allocated = heap_.allocated_bytes();
  pacing_.end(allocated);
  const DumpPreparation dump(dumps_, collections() + 1);
  tell(CollectionEvent::start);
  const EndTold end_told(*this);
  const Clock::time_point start = Clock::now();
  {
    const CollectionTrace::Span collection(trace_, TracePhase::collection, collections() + 1, record.reason);
    trace_.count(TraceCounter::allocated, heap_.allocated_bytes());
    const ThreadsStopped threads_stopped(*this);
    if (!threads_stopped.knows_static_roots()) return false;
    tell(CollectionEvent::mark_start);
    marking.set_most_workers(marking.worker_count());
    {
      const CollectionTrace::Span catching_up(trace_, TracePhase::catch_up);
      concurrent_.end_marking(marking);
    }
    finish_stopped(own_stack, true);
    CollectionResult& result = collection_.finish(start);
    result.live_bytes = found_.live_bytes;
    result.unscanned_bytes = found_.unscanned_bytes;
    record.stopped_threads = threads_stopped.stopped_threads();
    note(result, record);
  }
  record.pause = Clock::now() - start;
  pacing_.note_allocated(start, Clock::now(), allocated);
  record.concurrent = concurrent_.record();
  if (pacing_.is_failure(record.pause, live_bytes())) pacing_.note_failed();
  is_swept_unnoted_ = true;
  // The sweep notes its own.
  write_trace();
  concurrent_.start_sweeping();
  set_budget();
  if (log_) log_->write(record);
  disclaim_procedures_.ask(*this);
  tell_heap_size();
  return true;
}

// In phase idle: notes what the sweep of the last cycle found, if nobody did.
void ProcessCollector::note_swept() {
  if (!std::exchange(is_swept_unnoted_, false)) return;
  const std::uint64_t live = heap_.swept().live_bytes;
  pacing_.note_swept(live_bytes(), live);
  found_.live_bytes = pacing_.known_live(live);
  found_.floating_bytes = live - found_.live_bytes;
  found_.unscanned_bytes = heap_.swept().unscanned_bytes;
  note_allocating_threads();
  found_.heap_bytes = heap_.bytes();
  // Relaxed: see its reader.
  live_bytes_.store(live, std::memory_order_relaxed);
  trace_.count(TraceCounter::live, live);
  apply_growth();
}

// Returns the budgets that a collection which stops the program would wait for.
ProcessCollector::Budgets ProcessCollector::planned_budgets() {
  const std::uint64_t all = growth_.budget(found_);
  const std::uint64_t growing = growth_.budget_while_growing(found_);
  if (growing == std::numeric_limits<std::uint64_t>::max()) return {all, growing};
  const std::uint64_t most = most_of_cycle(all, growing);
  if (concurrent_.phase() == ConcurrentMarking::Phase::marking)
    return {pacing_.until_now(std::min(all, std::max(most, pacing_.begun_at()))), pacing_.until_now(growing)};
  if (!is_next_concurrent()) return {all, growing};
  // Where the heap may not become larger, a cycle must begin before that is noticed.
  const std::uint64_t limit = heap_.limit();
  const std::uint64_t used = found_.live_bytes + found_.floating_bytes;
  const std::uint64_t room = std::max(growth_.minimum_budget_bytes, limit - std::min(limit, used));
  const std::uint64_t beginning = pacing_.until_beginning(std::min(growing, room));
  const std::uint64_t late = pacing_.until_beginning(std::min(most, room));
  return {std::clamp(pacing_.until_beginning_within(std::min(all, room)), beginning, late), beginning};
}

// Notes that so many bytes were refused: it may be because the heap would have had to grow.
void ProcessCollector::note_refused(std::size_t bytes) {
  const Budgets planned = planned_budgets();
  const std::uint64_t allocated = heap_.allocated_bytes();
  const std::uint64_t wanted = allocated + std::max(bytes, heap::kBlockBytes);
  if (wanted > planned.while_growing && wanted <= planned.all)
    pacing_.note_memory_ended(allocated, growth_.budget(found_));
}

bool ProcessCollector::collect_a_little() {
  using Phase = ConcurrentMarking::Phase;
  this_thread();
  {
    const std::lock_guard lock(collecting_);
    const OwnStack own_stack{stack_pointer_below_registers()};
    const Phase phase = concurrent_.phase();
    if (phase == Phase::marking || phase == Phase::sweeping) return true;
    if (phase == Phase::idle) note_swept();
    if ((phase == Phase::idle && !is_due()) || !may_collect(hooks_.declines)) return false;
    if (phase == Phase::marked) {
      if (!end_concurrent_marking(own_stack)) return false;
    } else if (!marks_concurrently() || !is_next_concurrent() || !begin_concurrent_marking(own_stack)) {
      collect_locked(CollectionReason::allocation, own_stack);
    }
  }
  destructors_.run(*this);
  return concurrent_.phase() != Phase::idle;
}

bool ProcessCollector::begin_cycle() {
  this_thread();
  const std::lock_guard lock(collecting_);
  const OwnStack own_stack{stack_pointer_below_registers()};
  if (!marks_concurrently() || concurrent_.phase() != ConcurrentMarking::Phase::idle ||
      !may_collect(hooks_.declines))
    return false;
  note_swept();
  return begin_concurrent_marking(own_stack);
}

// The thread is started by the first cycle, unless that may wait then for one that waits for the collector.
bool ProcessCollector::mark_concurrently() {
  this_thread();
  const base::CancellationDisabled guard;
  const std::lock_guard lock(collecting_);
  collecting_.let_nobody_pass();
  if (!may_mark_concurrently_) return false;
  is_asked_to_mark_concurrently_ = true;
  base::OwnDescriptor::make_room();
  // In a cycle they are, and pages must not be armed once more.
  if (concurrent_.phase() == ConcurrentMarking::Phase::idle && !tracks_writes())
    return collect_by_stopping(kNothingTracked);
  if (OwnMemory::is_used() && !threads_.has_suspended() && !start_concurrent_thread()) return false;
  marks_concurrently_.store(true, std::memory_order_relaxed);
  set_budget();
  return true;
}

// From now on. Tells why, once, if somebody asked for cycles. Also while the program stands still. Returns
// false.
bool ProcessCollector::collect_by_stopping(const char* reason) {
  marks_concurrently_.store(false, std::memory_order_relaxed);
  marks_unasked_ = false;
  if (is_asked_to_mark_concurrently_ && !std::exchange(told_of_stopping_, true)) base::warn(reason);
  return false;
}

bool ProcessCollector::start_concurrent_thread() {
  return concurrent_.start_thread() || collect_by_stopping(kNoThread);
}

// Whether the system tells what is written. In phase idle.
bool ProcessCollector::tracks_writes() {
  const ThreadsStopped threads_stopped(*this);
  return start_tracking();
}

// Soft-dirty bits are the whole process's, and others may look at them: they are left alone unless asked.
bool ProcessCollector::start_tracking() {
  return concurrent_.start_tracking(is_asked_to_mark_concurrently_ ? WriteTrackingMethod::soft_dirty
                                                                   : WriteTrackingMethod::pagemap_scan);
}

}  // namespace jackdaw::gc
