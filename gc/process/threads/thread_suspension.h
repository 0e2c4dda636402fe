// ThreadSuspension: threads that are suspended one by one, for as long as the program likes.
//
// A suspended thread is to collections what a blocked one is: it is stopped, and the collector knows where
// its stack ends. Collections must not wait for it, so it holds nothing that they need: it is stopped in its
// signal handler only when it is in no critical section and uses no lock (StoppableMutex), else when it
// released the last.
#pragma once

#include <pthread.h>

#include <csignal>
#include <cstdint>

#include "base/futex_word.h"
#include "gc/process/threads/process_thread.h"
#include "gc/process/threads/stop_requests.h"
#include "gc/process/threads/thread_list.h"

namespace jackdaw::gc {

/// One for the process.
class ThreadSuspension {
 public:
  ThreadSuspension(ThreadList& list, StopRequests& requests) : list_(list), requests_(requests) {
    suspension_ = this;
  }
  ThreadSuspension(const ThreadSuspension&) = delete;
  ThreadSuspension& operator=(const ThreadSuspension&) = delete;

  /// Has a registered thread, which may be the calling one, stand still until it is resumed, however often it
  /// is suspended: at once, or, where it uses locks or is blocked, when it does not any more. Between
  /// collections, with a lock held that keeps them from beginning.
  void suspend(pthread_t thread);
  /// Returns when the thread, if there is one, stands still, is blocked or was resumed. Without any lock.
  void await_suspension(pthread_t thread);
  /// Lets it go on. Between collections.
  void resume(pthread_t thread);
  /// Whether it was suspended and not resumed yet. Any thread.
  bool is_suspended(pthread_t thread);
  /// Whether any thread was suspended and not resumed yet. Any thread.
  bool has_suspended();
  /// The calling thread, which released its last lock, stands still if it was suspended.
  static void stand_if_suspended();
  /// In the stop signal's handler, or as there: the calling thread does what it was asked.
  static void answer(ProcessThread& thread, const ucontext_t* interrupted = nullptr);

 private:
  [[gnu::noinline]] void stand_suspended(ProcessThread& thread, const ucontext_t* interrupted);
  [[gnu::noinline]] void stand_by_itself(ProcessThread& thread);
  void begin_to_stand(ProcessThread& thread, std::uintptr_t stack_pointer,
                      const ucontext_t* interrupted = nullptr);
  static void await_resumption(ProcessThread& thread);
  void reply_to_suspender();

  static ThreadSuspension* suspension_;  // the one there is

  ThreadList& list_;
  StopRequests& requests_;
  base::FutexWord suspensions_answered_;  // how often
};

}  // namespace jackdaw::gc
