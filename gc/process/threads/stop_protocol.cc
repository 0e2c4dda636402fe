#include "gc/process/threads/stop_protocol.h"

#include <unistd.h>

#include <cerrno>

#include "base/check.h"
#include "base/sanitizers.h"
#include "base/signals_blocked.h"
#include "base/spin.h"
#include "base/stress.h"
#include "gc/process/threads/inspection_signal.h"
#include "gc/process/threads/own_work.h"
#include "gc/process/threads/stack_pointer.h"
#include "gc/process/threads/stops_by_signal.h"
#include "gc/process/threads/thread_suspension.h"

namespace jackdaw::gc {

StopProtocol* StopProtocol::protocol_ = nullptr;

StopProtocol::StopProtocol(ThreadList& list, CollectionTrace& trace, std::chrono::seconds patience,
                           std::uint32_t processors)
    : list_(list),
      trace_(trace),
      requests_(list, handle_signal, patience),
      short_stops_(base::has_thread_sanitizer() ? 0 : processors) {
  protocol_ = this;
}

// Relaxed: as in enter_critical.
[[gnu::noinline]] void StopProtocol::enter_when_open(ProcessThread& thread) {
  base::FutexWord& closed = protocol_->sections_closed_;
  while (closed.value().load(std::memory_order_relaxed) != 0) {
    leave_critical(thread);
    closed.wait(1);
    raise_depth(thread.critical_depth_);
  }
}

// Relaxed: the thread's own word.
void StopProtocol::safepoint() {
  ProcessThread* const thread = ProcessThread::current();
  if (thread == nullptr || thread->critical_depth_.load(std::memory_order_relaxed) != 0) return;
  if (is_to_answer(*thread)) answer_pending_stop(*thread);
}

// Relaxed, both: see StopRequests::wakes_to_stop.
void StopProtocol::sleep_on(base::FutexWord& word, std::uint32_t unwanted, std::uint32_t sleepers) {
  ProcessThread* const thread = ProcessThread::current();
  if (thread != nullptr) thread->sleeps_on_.store(&word, std::memory_order_relaxed);
  word.wait(unwanted, sleepers);
  if (thread != nullptr) thread->sleeps_on_.store(nullptr, std::memory_order_relaxed);
  safepoint();
}

void StopProtocol::answer_pending_stop(ProcessThread& thread) {
  const int error = errno;
  // Acquire: pairs with the release in ask_to_stop, so that stop_here finds that stop's epoch.
  thread.stop_pending_.exchange(false, std::memory_order_acquire);
  if (!kStopsBySignal || !protocol_->answers_in_handler(thread)) {
    const base::SignalsBlocked as_in_a_handler(base::kAllSignals);
    stop_here(thread);
    ThreadSuspension::answer(thread);
  }
  ThreadSuspension::stop_if_suspended();
  errno = error;
}

// The thread sends itself the stop signal, as the handler is told which stack it interrupted: it may be an
// alternate one, in a variable on the thread's own. Returns whether the handler has answered; it does not run
// if the thread blocks the signal or the program replaced it.
//
// Relaxed, all: the handler itself decides whether the thread stops.
bool StopProtocol::answers_in_handler(ProcessThread& thread) {
  std::uint32_t asked = 0;
  std::uint32_t left = 0;
  do {
    asked = thread.asked_stop_.load(std::memory_order_relaxed);
    if (!requests_.signal().is_ours() || tgkill(getpid(), thread.number_, StopSignal::number()) != 0)
      return false;
    left = thread.asked_stop_.load(std::memory_order_relaxed);
  } while (left % 2 != 0 && left != asked);  // another stop has begun since the handler ended
  const bool has_begun = stop_epoch_.value().load(std::memory_order_relaxed) % 2 != 0;
  return !(has_begun && left % 2 != 0) && thread.suspension() != Suspension::asked;
}

// The signal may be another process's, which does not ask for a stop. The interrupted code keeps its errno.
void StopProtocol::handle_signal(int number, siginfo_t* info, void* context) {
  const int error = errno;
  if (!InspectionSignal::take(info)) handle_stop_signal(number, info, context);
  errno = error;
}

void StopProtocol::handle_stop_signal(int, siginfo_t*, void* context) {
  ProcessThread* const thread = ProcessThread::current();
  if (thread == nullptr) {
    if (!OwnWork::is_under_way()) protocol_->requests_.note_stranger(gettid());
    return;
  }
  // Relaxed, both: see raise_depth.
  if (thread->critical_depth_.load(std::memory_order_relaxed) != 0) {
    thread->stop_pending_.store(true, std::memory_order_relaxed);
  } else {
    const auto* const interrupted = static_cast<const ucontext_t*>(context);
    stop_here(*thread, interrupted);
    ThreadSuspension::answer(*thread, interrupted);
  }
}

void StopProtocol::stop_here(ProcessThread& thread, const ucontext_t* interrupted) {
  // Relaxed: the thread's own word.
  JACKDAW_CHECK(thread.critical_depth_.load(std::memory_order_relaxed) == 0);
  base::Stress::delay();
  base::FutexWord& epoch = protocol_->stop_epoch_;
  base::FutexWord& running = protocol_->requests_.still_running();
  // Acquire: pairs with the release in stop_others, so that the count and the request below are this stop's.
  const std::uint32_t stop = epoch.value().load(std::memory_order_acquire);
  // Relaxed, both: the acquire above makes the request visible; the release below publishes the answer.
  std::uint32_t asked = thread.asked_stop_.load(std::memory_order_relaxed);
  if (stop % 2 == 0 || (asked != stop && asked != StopRequests::answered_for(stop))) return;
  if (asked == stop && thread.asked_stop_.compare_exchange_strong(asked, 0, std::memory_order_relaxed)) {
    thread.stack_.note(stack_pointer_below_registers(), interrupted);
    JACKDAW_PROBE1(stop_answered, thread.number_);
    if (protocol_->trace_.is_on()) [[unlikely]]
      thread.answered_at_ = CollectionTrace::Clock::now();
    // Release: pairs with the acquire in wait_until_all_stopped, so that the collector sees all that this
    // thread wrote.
    const std::uint32_t before = running.value().fetch_sub(1, std::memory_order_release);
    JACKDAW_CHECK(before != 0);
    if (before == 1) running.wake_all();
  }
  static_cast<void>(epoch.poll_while(stop, protocol_->short_stops_.stopped_polling_time()));
  // Acquire: pairs with the release in let_others_go_on, so that this thread sees what the collector wrote.
  while (epoch.value().load(std::memory_order_acquire) == stop) epoch.wait(stop);
  // Relaxed, both: a thread that sees the epoch also sees what was written before it.
  std::atomic<bool>& wakes_others = protocol_->one_wakes_others_;
  if (wakes_others.load(std::memory_order_relaxed) && wakes_others.exchange(false, std::memory_order_relaxed))
    epoch.wake_all();
}

bool StopProtocol::is_to_stop(ProcessThread* thread) {
  return thread != ProcessThread::current() && !thread->is_blocked_ && !thread->is_gone_ &&
         thread->suspension() != Suspension::stopped;
}

std::uint32_t StopProtocol::stop_others() {
  list_.mutex.lock();
  list_.mutex.let_nobody_pass();
  // Relaxed, all but the last: only the holder of the lock writes the epoch, and a thread that sees the
  // request but an even epoch does not answer yet. Release: pairs with the acquire in stop_here.
  const std::uint32_t stop = stop_epoch_.value().load(std::memory_order_relaxed) + 1;
  JACKDAW_CHECK(stop % 2 != 0);
  std::uint32_t others = 0;
  for (ProcessThread* const thread : list_.threads) {
    if (!is_to_stop(thread)) continue;
    JACKDAW_PROBE1(stop_asked, thread->number_);
    if (trace_.is_on()) [[unlikely]]
      thread->asked_at_ = CollectionTrace::Clock::now();
    thread->asked_stop_.store(stop, std::memory_order_relaxed);
    ++others;
  }
  requests_.still_running().value().store(others, std::memory_order_relaxed);
  requests_.forget_stranger();
  short_stops_.begin(others);
  stop_epoch_.value().store(stop, std::memory_order_release);
  if (!all_stop_by_themselves(others)) {
    for (ProcessThread* const thread : list_.threads) {
      if (is_to_stop(thread) && thread->asked_stop_.load(std::memory_order_relaxed) == stop)
        requests_.ask_to_stop(*thread);
    }
  }
  wait_until_all_stopped();
  short_stops_.note_all_stopped(ShortStops::Clock::now());
  list_.forget_gone();
  return others;
}

// A signal takes about 30 microseconds from core to core; a thread that allocates small objects reaches the
// end of a critical section within a few. Returns whether all threads stopped, so that no signal is needed.
bool StopProtocol::all_stop_by_themselves(std::uint32_t others) {
  if (others == 0) return true;
  const ShortStops::Clock::duration time = short_stops_.self_stopping_time();
  if (time == time.zero()) return false;
  // Relaxed: wait_until_all_stopped reads it again.
  const bool do_all = base::poll_for(
      time, [this] { return requests_.still_running().value().load(std::memory_order_relaxed) == 0; });
  short_stops_.note_self_stopping(do_all);
  return do_all;
}

void StopProtocol::wait_until_all_stopped() {
  StopRequests::Patience patience;
  std::uint32_t running = 0;
  // Acquire: pairs with the release in stop_here.
  while ((running = requests_.still_running().value().load(std::memory_order_acquire)) != 0) {
    if (requests_.still_running().poll_while(running, short_stops_.answering_time()))
      requests_.await_answers(requests_.still_running(), running, patience);
  }
}

void StopProtocol::resume_others() {
  resume_others_now();
  list_.mutex.unlock();
}

void StopProtocol::note_stops() {
  const CollectionTrace::Clock::time_point now = CollectionTrace::Clock::now();
  for (ProcessThread* const thread : list_.threads) {
    if (is_to_stop(thread)) trace_.add({thread->number_, thread->asked_at_, thread->answered_at_, now});
  }
}

void StopProtocol::resume_others_soon() {
  // Relaxed: the release of the epoch publishes it.
  one_wakes_others_.store(true, std::memory_order_relaxed);
  let_others_go_on();
  stop_epoch_.wake_one();
  list_.mutex.unlock();
}

void StopProtocol::resume_others_now() {
  let_others_go_on();
  stop_epoch_.wake_all();
}

void StopProtocol::let_others_go_on() {
  if (trace_.is_on()) [[unlikely]]
    note_stops();
  short_stops_.end(ShortStops::Clock::now());
  JACKDAW_CHECK(list_.mutex.is_held_by_caller());
  JACKDAW_CHECK(stop_epoch_.value().load(std::memory_order_relaxed) % 2 != 0);
  // Relaxed load: only the holder of the lock writes it. Release store: pairs with the acquire in
  // stop_here.
  stop_epoch_.value().store(stop_epoch_.value().load(std::memory_order_relaxed) + 1,
                            std::memory_order_release);
}

void StopProtocol::close_sections() {
  stop_others();
  // Relaxed: the release of the epoch in resume_others_now() publishes it.
  sections_closed_.value().store(1, std::memory_order_relaxed);
  resume_others_now();
}

void StopProtocol::open_sections() {
  // Relaxed: nothing that the sections guard has been changed since they were closed.
  sections_closed_.value().store(0, std::memory_order_relaxed);
  sections_closed_.wake_all();
}

}  // namespace jackdaw::gc
