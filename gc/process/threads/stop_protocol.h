// StopProtocol: stops all threads of the program but the calling one for a collection, and resumes them.
//
// A thread is stopped by a signal, at any instruction; its registers are then on its stack, which the
// collector scans. A thread that is in a critical section, where the heap's tables are in disorder or locked,
// stops at the section's end, and one that polls for a lock of the collector stops there; neither needs a
// signal. So threads that allocate stop within microseconds, and the signal is sent only to the others. A
// thread that declared itself blocked is not stopped: it does not touch the heap, and waits for the end of
// the collection before it does again.
//
// To stop, each thread decreases a count that the collector waits for. To resume the threads, the collector
// changes the stop epoch, which is odd during a stop. Both waits use futexes, as the signal handler must take
// no lock.
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
  /// Adds the stops to `trace`. The program ends if a thread that is to stop cannot be reached by a signal
  /// for `patience`; 0: never. `processors` threads can run at once.
  StopProtocol(ThreadList& list, CollectionTrace& trace, std::chrono::seconds patience,
               std::uint32_t processors);
  StopProtocol(const StopProtocol&) = delete;
  StopProtocol& operator=(const StopProtocol&) = delete;

  /// Asks single threads to stop.
  StopRequests& requests() { return requests_; }

  /// While it exists, the calling thread, which must be registered, is not stopped: it holds locks of the
  /// heap, or the heap's tables are inconsistent. May be nested.
  class CriticalSection {
   public:
    explicit CriticalSection(ProcessThread& thread) : thread_(thread) { enter_critical(thread); }
    ~CriticalSection() { leave_critical(thread_); }
    CriticalSection(const CriticalSection&) = delete;
    CriticalSection& operator=(const CriticalSection&) = delete;

   private:
    ProcessThread& thread_;
  };

  /// Stops the calling thread if it is to stop, is registered and is not in a critical section.
  static void safepoint();
  /// Sleeps on `word`, as FutexWord::wait, in the queue for a lock. If the thread is to stop and no signal
  /// reaches it, it is woken, and stops before this returns.
  static void sleep_on(base::FutexWord& word, std::uint32_t unwanted, std::uint32_t sleepers);

  /// Takes the list's lock, so that no thread registers or unregisters, and stops all registered threads but
  /// the caller. Returns, when all have stopped, how many they are; blocked threads do not count.
  std::uint32_t stop_others();
  /// Returns how long a thread that waits for the end of a stop polls before it sleeps.
  [[nodiscard]] std::chrono::nanoseconds polling_time() const { return short_stops_.stopping_time(); }
  /// Resumes the threads and releases the list's lock.
  void resume_others();
  /// Like resume_others(), for a caller that sleeps next and then calls wake_resumed(): only one thread is
  /// woken, and wakes the rest. If all were woken here, they would take the caller's processor before it
  /// slept.
  void resume_others_soon();
  /// Wakes the threads that still sleep. Needs no lock.
  void wake_resumed() { stop_epoch_.wake_all(); }
  /// Calls `function(pthread_t)` for each stopped thread. Only between stop_others and resume_others.
  template <typename Function>
  void for_each_stopped(Function function) const {
    JACKDAW_CHECK(list_.mutex.is_held_by_caller());
    for (ProcessThread* const thread : list_.threads) {
      if (is_to_stop(thread)) function(thread->handle_);
    }
  }

  /// Takes the list's lock, and keeps all registered threads out of critical sections until open_sections();
  /// the threads keep running.
  void close_sections();
  /// Admits the threads again. The caller keeps the lock.
  void open_sections();

 private:
  // Relaxed, both: the thread and its signal handler are one thread; the signal fences keep the compiler from
  // moving other accesses across.
  static void raise_depth(std::atomic<std::uint32_t>& depth) {
    depth.store(depth.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  // Relaxed: a fork closes the sections while the thread is stopped, and the thread sees that when it
  // resumes.
  static void enter_critical(ProcessThread& thread) {
    raise_depth(thread.critical_depth_);
    if (protocol_->sections_closed_.value().load(std::memory_order_relaxed) != 0) [[unlikely]]
      enter_when_open(thread);
  }
  static void enter_when_open(ProcessThread& thread);
  // Relaxed, all: see raise_depth.
  static void leave_critical(ProcessThread& thread) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    JACKDAW_CHECK(thread.critical_depth_.load(std::memory_order_relaxed) != 0);
    const std::uint32_t depth = thread.critical_depth_.load(std::memory_order_relaxed) - 1;
    thread.critical_depth_.store(depth, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (depth == 0 && is_to_answer(thread)) [[unlikely]]
      answer_pending_stop(thread);
  }
  // Relaxed: the thread's own words. Requests by others are checked again with an acquire where they are
  // answered.
  static bool is_to_answer(const ProcessThread& thread) {
    return thread.stop_pending_.load(std::memory_order_relaxed) || StopRequests::is_unanswered(thread);
  }
  static void answer_pending_stop(ProcessThread& thread);
  bool answers_in_handler(ProcessThread& thread);
  static void handle_signal(int, siginfo_t* info, void* context);
  static void handle_stop_signal(int, siginfo_t*, void* context);
  // `interrupted` is the context that a signal handler got.
  [[gnu::noinline]] static void stop_here(ProcessThread& thread, const ucontext_t* interrupted = nullptr);

  static bool is_to_stop(ProcessThread* thread);
  bool all_stop_by_themselves(std::uint32_t others);
  void wait_until_all_stopped();
  void let_others_go_on();
  void resume_others_now();
  void note_stops();

  static StopProtocol* protocol_;  // the only instance

  ThreadList& list_;
  CollectionTrace& trace_;
  StopRequests requests_;
  base::FutexWord stop_epoch_;                 // odd during a stop
  std::atomic<bool> one_wakes_others_{false};  // the first thread that resumes wakes the rest
  ShortStops short_stops_;
  base::FutexWord sections_closed_;  // nonzero while a fork keeps threads out of critical sections
};

}  // namespace jackdaw::gc
