// StopProtocol: how all threads of the program but one are stopped for a collection, and resumed.
//
// A thread is stopped by a signal, at any instruction; its registers are then on its stack, which the
// collector scans. A thread that is in a critical section, where the heap's tables are in disorder or locked,
// stops at the section's end, and one that polls for a lock of the collector's stops there, signal or not. So
// threads that allocate stop within microseconds, and the signal is sent to those that did not. A thread that
// declared itself blocked is left alone: it does not touch the heap, and waits if it wants to go on before
// the collection is over.
//
// Stopping is a count that the threads decrease and the collector waits for; going on is a change of the stop
// epoch, which is odd while threads are to stand still. Both waits are futexes: the signal handler may use
// them, and nothing else that could be locked.
//
// Under ThreadSanitizer there is no signal, and threads stop at safepoints (stops_by_signal.h says why, and
// what that asks of the program).
#pragma once

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>

#include "base/check.h"
#include "base/futex_word.h"
#include "gc/process/threads/process_thread.h"
#include "gc/process/threads/short_stops.h"
#include "gc/process/threads/stop_requests.h"
#include "gc/process/threads/thread_list.h"
#include "gc/report/trace/collection_trace.h"

namespace jackdaw::gc {

/// One for the process.
class StopProtocol {
  friend class OwnWork;  // tests/verify/thread_registry reaches the handler by way of its stand-in

 public:
  /// Notes stops in `trace`. A thread that no signal reaches for `patience` while it is to stop ends the
  /// program; 0: never. `processors` threads can run at once.
  StopProtocol(ThreadList& list, CollectionTrace& trace, std::chrono::seconds patience,
               std::uint32_t processors);
  StopProtocol(const StopProtocol&) = delete;
  StopProtocol& operator=(const StopProtocol&) = delete;

  /// How single threads are asked.
  StopRequests& requests() { return requests_; }

  /// While it exists, the calling thread, which is registered, is not stopped: it holds locks of the heap, or
  /// its tables are in disorder. May be nested.
  class CriticalSection {
   public:
    explicit CriticalSection(ProcessThread& thread) : thread_(thread) { enter_critical(thread); }
    ~CriticalSection() { leave_critical(thread_); }
    CriticalSection(const CriticalSection&) = delete;
    CriticalSection& operator=(const CriticalSection&) = delete;

   private:
    ProcessThread& thread_;
  };

  /// A thread that is registered, and not in a critical section, stands still here if it is to stop.
  static void safepoint();
  /// Sleeps on `word`, as FutexWord::wait, in the queue for a lock. A thread that no signal reaches is woken
  /// where it is to stop, and stops before this returns.
  static void sleep_on(base::FutexWord& word, std::uint32_t unwanted, std::uint32_t sleepers);

  /// Takes the list's lock, so that no thread comes or goes, and stops all registered threads but the
  /// caller. Returns when they stand still: how many there are, without those that are blocked.
  std::uint32_t stop_others();
  /// How long a thread that waits for a stop to end polls before it sleeps.
  [[nodiscard]] std::chrono::nanoseconds polling_time() const { return short_stops_.stopping_time(); }
  /// Lets them go on.
  void resume_others();
  /// Lets them go on when the caller is to sleep next, and then to call wake_resumed(): one of the others is
  /// woken, and wakes the rest. Where all were, they would take this thread's processor before it slept.
  void resume_others_soon();
  /// Wakes those that still sleep. Without any lock.
  void wake_resumed() { stop_epoch_.wake_all(); }
  /// Between stop_others and resume_others: calls `function(pthread_t)` for each thread that was stopped.
  template <typename Function>
  void for_each_stopped(Function function) const {
    JACKDAW_CHECK(list_.mutex.is_held_by_caller());
    for (ProcessThread* const thread : list_.threads) {
      if (is_to_stop(thread)) function(thread->handle_);
    }
  }

  /// Takes the list's lock, and sees to it that no registered thread is in a critical section, nor enters
  /// one, until open_sections(); the threads run on.
  void close_sections();
  /// Lets them enter again. The lock stays with the caller.
  void open_sections();

 private:
  static void enter_critical(ProcessThread& thread);
  static void leave_critical(ProcessThread& thread);
  static bool is_to_answer(const ProcessThread& thread);
  static void answer_pending_stop(ProcessThread& thread);
  bool answers_in_handler(ProcessThread& thread);
  static void handle_stop_signal(int, siginfo_t*, void* context);
  // `interrupted`: the context that a signal handler was given.
  [[gnu::noinline]] static void stand_still(ProcessThread& thread, const ucontext_t* interrupted = nullptr);

  static bool is_to_stop(ProcessThread* thread);
  bool all_stop_by_themselves(std::uint32_t others);
  void wait_until_all_stand_still();
  void let_others_go_on();
  void resume_others_now();
  void note_stops();

  static StopProtocol* protocol_;  // the one there is

  ThreadList& list_;
  CollectionTrace& trace_;
  StopRequests requests_;
  base::FutexWord stop_epoch_;                 // odd while threads are to stand still
  std::atomic<bool> one_wakes_others_{false};  // the first that goes on
  ShortStops short_stops_;
  base::FutexWord sections_closed_;  // not zero while a fork keeps threads out of critical sections
};

}  // namespace jackdaw::gc
