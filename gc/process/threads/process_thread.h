// ProcessThread: the entry of a thread of the program that uses the heap.
//
// The thread itself, its signal handler and the thread that collects share it. ThreadRegistry makes it,
// StopRequests and StopProtocol stop the thread for a collection, ThreadSuspension suspends it by hand.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/check.h"
#include "base/futex_word.h"
#include "gc/process/threads/allocating_thread.h"
#include "gc/process/threads/thread_locals.h"
#include "gc/process/threads/thread_stack.h"
#include "gc/report/trace/collection_trace.h"
#include "heap/heap.h"

namespace jackdaw::gc {

/// Whether a thread stands still because somebody suspended it.
enum class Suspension : std::uint32_t {
  none,
  asked,     ///< it is to answer with one of the next two
  put_off,   ///< it will stand still when it holds no lock, and is not blocked, any more
  standing,  ///< it is stopped; nobody needs to stop it
};
/// Whether a thread may go from the one to the other.
constexpr bool may_follow(Suspension before, Suspension next) {
  switch (next) {
    case Suspension::none:
      return true;
    case Suspension::asked:
      return before == Suspension::none;
    case Suspension::put_off:
      return before == Suspension::none || before == Suspension::asked;
    case Suspension::standing:
      return before == Suspension::asked || before == Suspension::put_off;
  }
  return false;
}

/// A registered thread. Made and destroyed by the registry; all else is for the thread itself.
class ProcessThread : public AllocatingThread {
 public:
  /// The calling thread's, or null when it is not registered.
  static ProcessThread* current() { return static_cast<ProcessThread*>(AllocatingThread::current()); }
  /// One past the first word of its stack that is scanned.
  [[nodiscard]] std::uintptr_t stack_end() const { return stack_.end(); }

 private:
  friend class StopProtocol;
  friend class StopRequests;
  friend struct ThreadList;
  friend class ThreadRegistry;
  friend class ThreadSuspension;
  friend std::default_delete<ProcessThread>;

  ProcessThread(heap::Heap& heap, const ThreadStack& stack, const ThreadLocals& thread_locals);
  ~ProcessThread() = default;
  // In pages of its own, which are no root.
  static void* operator new(std::size_t bytes);
  static void operator delete(void* thread);

  // Notes the number that the system gives the calling thread, which is this one: a fork changes it.
  void renumber();

  const ThreadLocals thread_locals_;
  // Written by the thread and its signal handler, read by the collector while the thread stands still.
  ThreadStack stack_;
  bool is_blocked_ = false;             // written by the thread under the registry's lock
  bool is_gone_ = false;                // found to have ended without a word; the collector's
  bool needs_reserved_signal_ = false;  // was found to block or take the stop signal; the collector's
  // The stop that the thread is to answer, 0 when it did, and a number more when the collector answered for
  // it. Signals that others send change nothing.
  std::atomic<std::uint32_t> asked_stop_{0};
  // Times of the last stop, where there is a trace: written by the thread that asked, and by this one when it
  // answers.
  CollectionTrace::Clock::time_point asked_at_;
  CollectionTrace::Clock::time_point answered_at_;
  // Written and read by the thread and its signal handler alone.
  std::atomic<std::uint32_t> critical_depth_{0};
  // Likewise; where there is no signal, set by the collector.
  std::atomic<bool> stop_pending_{false};
  // The word that the thread sleeps on, or is about to, in the queue for a lock.
  std::atomic<base::FutexWord*> sleeps_on_{nullptr};
  // A Suspension. Changed under the registry's lock, but where it says asked: then by the thread, while the
  // one that asked waits with that lock.
  base::FutexWord suspension_;

  // Acquire: pairs with the releases in thread_suspension.cc, so that what was written before is seen.
  [[nodiscard]] Suspension suspension() const {
    return static_cast<Suspension>(suspension_.value().load(std::memory_order_acquire));
  }
  void set_suspension(Suspension suspension) {
    JACKDAW_CHECK(may_follow(this->suspension(), suspension));
    suspension_.value().store(static_cast<std::uint32_t>(suspension), std::memory_order_release);
  }
};

}  // namespace jackdaw::gc
