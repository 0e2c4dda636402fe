// ThreadSuspension: suspends single threads at the program's request.
//
// A collection treats a suspended thread like a blocked one: it is stopped, and the end of its stack is
// known. Collections must not wait for it, so it must hold no lock that they need. It stops in its signal
// handler if it is in no critical section and uses no lock (StoppableMutex), otherwise when it has released
// the last lock.
#pragma once

#include <pthread.h>

#include <csignal>
#include <cstdint>

#include "base/futex_word.h"
#include "gc/process/threads/process_thread.h"
#include "gc/process/threads/stop_requests.h"
#include "gc/process/threads/thread_list.h"

namespace jackdaw::gc {

/// There is one for the process.
class ThreadSuspension {
 public:
  ThreadSuspension(ThreadList& list, StopRequests& requests) : list_(list), requests_(requests) {
    suspension_ = this;
  }
  ThreadSuspension(const ThreadSuspension&) = delete;
  ThreadSuspension& operator=(const ThreadSuspension&) = delete;

  /// Suspends a registered thread, possibly the calling one, until it is resumed; suspensions are not
  /// counted. A thread that uses locks or is blocked stops once it uses none and is not blocked. The caller
  /// holds a lock that keeps collections from beginning.
  void suspend(pthread_t thread);
  /// Returns when the thread has stopped, is blocked or was resumed, or does not exist. The caller must hold
  /// no lock.
  void await_suspension(pthread_t thread);
  /// Resumes a thread; to be called between collections.
  void resume(pthread_t thread);
  /// Whether the thread was suspended and has not been resumed. Any thread.
  bool is_suspended(pthread_t thread);
  /// Whether any thread was suspended and has not been resumed. Any thread.
  bool has_suspended();
  /// Stops the calling thread, which released its last lock, if it was suspended.
  static void stop_if_suspended();
  /// Answers a request to suspend the calling thread. Called in the stop signal's handler, or with all
  /// signals blocked.
  static void answer(ProcessThread& thread, const ucontext_t* interrupted = nullptr);

 private:
  [[gnu::noinline]] void stop_suspended(ProcessThread& thread, const ucontext_t* interrupted);
  [[gnu::noinline]] void stop_by_itself(ProcessThread& thread);
  void note_stopped(ProcessThread& thread, std::uintptr_t stack_pointer,
                    const ucontext_t* interrupted = nullptr);
  static void await_resumption(ProcessThread& thread);
  void reply_to_suspender();

  static ThreadSuspension* suspension_;  // the only instance

  ThreadList& list_;
  StopRequests& requests_;
  base::FutexWord suspensions_answered_;  // the number of answers
};

}  // namespace jackdaw::gc
