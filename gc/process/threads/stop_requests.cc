#include "gc/process/threads/stop_requests.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

#include "base/cancellation.h"
#include "base/check.h"
#include "base/sanitizers.h"
#include "base/signals_blocked.h"
#include "gc/process/threads/reserved_signal.h"
#include "gc/process/threads/stops_by_signal.h"
#include "gc/process/threads/thread_status.h"

namespace jackdaw::gc {

namespace {

// This signal number only checks that the thread exists.
constexpr int kNoSignal = 0;

// This bypasses stderr's buffer, whose lock a stopped thread may hold.
[[gnu::format(printf, 1, 2)]] void write_line(const char* format, ...) {
  const base::CancellationDisabled guard;
  std::array<char, 200> line;
  std::va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(line.data(), line.size(), format, arguments);
  va_end(arguments);
  const int written = std::clamp(length, 0, static_cast<int>(line.size()) - 1);
  if (write(STDERR_FILENO, line.data(), static_cast<std::size_t>(written)) < 0) return;
}

}  // namespace

int StopRequests::signal_for(const ProcessThread& thread) const {
  if (thread.needs_reserved_signal_) return ReservedSignal::kNumber;
  if (signal_.is_ours()) return StopSignal::number();
  return ReservedSignal::share(signal_.handler()) ? ReservedSignal::kNumber : StopSignal::number();
}

bool StopRequests::ask_to_stop(ProcessThread& thread) {
  if constexpr (kStopsBySignal) {
    return signal_thread(thread, signal_for(thread));
  } else {
    // Release: pairs with the acquire in answer_pending_stop.
    thread.stop_pending_.store(true, std::memory_order_release);
    return signal_thread(thread, kNoSignal);
  }
}

// Returns whether the signal was sent or the thread has ended. A thread can end registered: it used the heap
// again after it had unregistered at its end.
bool StopRequests::signal_thread(ProcessThread& thread, int signal) {
  const auto send = [&] {
    return signal == ReservedSignal::kNumber ? ReservedSignal::send(thread.number_)
                                             : tgkill(getpid(), thread.number_, signal) == 0;
  };
  while (!send()) {
    if (errno == EAGAIN) {  // too many signals wait
      std::this_thread::yield();
      continue;
    }
    if (errno != ESRCH) return false;
    note_gone(thread);
    break;
  }
  return true;
}

// Relaxed, both: this thread itself waits for the count, and the thread no longer answers. When a single
// thread is suspended, nothing is counted.
void StopRequests::note_gone(ProcessThread& thread) {
  JACKDAW_CHECK(list_.mutex.is_held_by_caller() && &thread != ProcessThread::current());
  thread.is_gone_ = true;
  if (thread.asked_stop_.exchange(0, std::memory_order_relaxed) != 0)
    still_running_.value().fetch_sub(1, std::memory_order_relaxed);
}

// Relaxed: the number orders nothing.
void StopRequests::look_for_strangers() {
  const pid_t stranger = stranger_.exchange(0, std::memory_order_relaxed);
  for (ProcessThread* const thread : list_.threads) {
    if (thread->number_ == stranger && is_unanswered(*thread)) note_gone(*thread);
  }
}

// A thread that does not answer is alone no reason to end the program: the system or a debugger may delay it.
void StopRequests::await_answers(base::FutexWord& word, std::uint32_t unwanted, Patience& patience) {
  constexpr std::chrono::milliseconds kFirstLook{10};
  constexpr std::chrono::milliseconds kLook{100};
  constexpr std::chrono::seconds kPatienceToWarning{5};
  const bool is_first_time = patience.waited == patience.waited.zero();
  const std::chrono::milliseconds time = is_first_time ? kFirstLook : kLook;
  if (word.wait_for(unwanted, time)) return;
  const Unanswered unanswered = ask_again(is_first_time);
  patience.blocked = unanswered.unreachable != nullptr ? patience.blocked + time : patience.blocked.zero();
  if (unanswered.unreachable != nullptr && patience_ != patience_.zero() && patience.blocked >= patience_)
    give_up(*unanswered.unreachable);
  const bool was_patient = patience.waited < kPatienceToWarning;
  patience.waited += time;
  if (was_patient && patience.waited >= kPatienceToWarning)
    write_line("jackdaw: %u threads that are to stop do not answer signal %d\n", unanswered.count,
               StopSignal::number());
}

// A thread that has answered meanwhile ignores the second signal.
StopRequests::Unanswered StopRequests::ask_again(bool is_first_time) {
  JACKDAW_CHECK(list_.mutex.is_held_by_caller());
  look_for_strangers();
  Unanswered unanswered;
  for (ProcessThread* const thread : list_.threads) {
    if (thread->is_gone_ || !is_unanswered(*thread)) continue;
    ++unanswered.count;
    if (!ask_otherwise(*thread, is_first_time)) unanswered.unreachable = thread;
  }
  return unanswered;
}

// A thread that blocks the signal, or takes it by sigwait(), is sent the reserved signal. Returns whether the
// thread is expected to answer: when it runs next, or at the end of its critical section.
bool StopRequests::ask_otherwise(ProcessThread& thread, bool is_first_time) {
  const int signal = signal_for(thread);
  const std::optional<ThreadSignals> known = signals_of(thread.number_);
  if (!is_unanswered(thread)) return true;
  // If nothing is known of the thread's signals, the reserved signal does no harm.
  const ThreadSignals signals =
      known.value_or(ThreadSignals{.blocked = ~base::bit_of(ReservedSignal::kNumber)});
  const auto has = [](base::SignalBits set, int member) { return (set & base::bit_of(member)) != 0; };
  const bool is_blocked = has(signals.blocked, signal);
  // Relaxed: a hint; the thread that finds it set answers.
  if (signals.is_traced || thread.stop_pending_.load(std::memory_order_relaxed) ||
      (has(signals.pending, signal) && !is_blocked))
    return true;
  // ThreadSanitizer delays a signal until the thread calls an intercepted function and holds no lock of
  // ThreadSanitizer's. A thread that calls none gets the reserved signal.
  const bool may_be_kept = base::has_thread_sanitizer() && !is_blocked;
  if (may_be_kept && is_first_time) return true;
  const bool can_change = signal != ReservedSignal::kNumber &&
                          !has(signals.blocked, ReservedSignal::kNumber) &&
                          ReservedSignal::share(signal_.handler());
  if (can_change) thread.needs_reserved_signal_ = !may_be_kept;
  if (!can_change && is_blocked && (wakes_to_stop(thread) || stands_in_spawn(thread))) return true;
  if (can_change) return signal_thread(thread, ReservedSignal::kNumber);
  return ask_to_stop(thread) && !known;
}

// Wakes the thread, which blocks all signals, if it sleeps in the queue for a lock, so that it stops.
// Relaxed: a thread that is only about to sleep is woken the next time. If the lock has been destroyed, its
// sleeper has gone, and waking has no effect.
bool StopRequests::wakes_to_stop(ProcessThread& thread) {
  base::FutexWord* const word = thread.sleeps_on_.load(std::memory_order_relaxed);
  if (word == nullptr) return false;
  word->wake_all();
  return true;
}

// Returns whether the thread, which blocks all signals, sleeps in posix_spawn(); if so, it counts as stopped,
// but not as suspended. The C library has saved its registers on the stack, the child runs only the library's
// code, and the thread takes the signal before it runs the program's code again.
bool StopRequests::stands_in_spawn(ProcessThread& thread) {
  const std::optional<std::uintptr_t> stack_pointer = stack_pointer_of_spawning(thread.number_);
  // Relaxed, all: the thread wrote them before it slept, and the kernel reported that sleep to this thread.
  if (!stack_pointer || thread.critical_depth_.load(std::memory_order_relaxed) != 0) return false;
  std::uint32_t asked = thread.asked_stop_.load(std::memory_order_relaxed);
  if (asked % 2 != 0 &&
      thread.asked_stop_.compare_exchange_strong(asked, answered_for(asked), std::memory_order_relaxed)) {
    thread.stack_.note_sleeping(*stack_pointer);
    thread.answered_at_ = CollectionTrace::Clock::now();
    still_running_.value().fetch_sub(1, std::memory_order_relaxed);
  }
  return true;
}

void StopRequests::give_up(const ProcessThread& thread) const {
  write_line(
      "jackdaw: cannot stop thread %d, which has blocked signal %d, or taken it otherwise, and what else "
      "could stop it, for %lld seconds (JACKDAW_STOP_SECONDS)\n",
      thread.number_, StopSignal::number(), static_cast<long long>(patience_.count()));
  std::abort();
}

}  // namespace jackdaw::gc
