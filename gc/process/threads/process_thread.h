// ProcessThread: the entry of a thread of the program that uses the heap.
//
// The thread itself, its signal handler and the collecting thread share it. ThreadRegistry creates it,
// StopRequests and StopProtocol stop the thread for a collection, ThreadSuspension suspends it at the
// program's request.
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

/// Whether the program has suspended a thread.
enum class Suspension : std::uint32_t {
  none,
  asked,    ///< requested; the thread answers with one of the next two
  put_off,  ///< the thread will stop once it holds no lock and is not blocked
  stopped,  ///< the thread is stopped; collections need not stop it
};
/// Whether `next` may follow `before`.
constexpr bool may_follow(Suspension before, Suspension next) {
  switch (next) {
    case Suspension::none:
      return true;
    case Suspension::asked:
      return before == Suspension::none;
    case Suspension::put_off:
      return before == Suspension::none || before == Suspension::asked;
    case Suspension::stopped:
      return before == Suspension::asked || before == Suspension::put_off;
  }
  return false;
}

/// A registered thread. The registry creates and destroys it; only the thread itself may use the rest.
class ProcessThread : public AllocatingThread {
 public:
  /// Returns the calling thread's entry, or null when it is not registered.
  static ProcessThread* current() { return static_cast<ProcessThread*>(AllocatingThread::current()); }
  /// Returns the end of its stack, one past the last word that is scanned.
  [[nodiscard]] std::uintptr_t stack_end() const { return stack_.end(); }
  /// Returns that end, or 0 where the thread runs at `pointer` on another stack, as a fiber does.
  [[nodiscard]] std::uintptr_t stack_end_above(std::uintptr_t pointer) const {
    return stack_.end_above(pointer);
  }

 private:
  friend class StopProtocol;
  friend class StopRequests;
  friend struct ThreadList;
  friend class ThreadRegistry;
  friend class ThreadSuspension;
  friend std::default_delete<ProcessThread>;

  ProcessThread(heap::Heap& heap, heap::FirstObjects* first_objects, const ThreadStack& stack,
                const ThreadLocals& thread_locals);
  ~ProcessThread() = default;
  // Entries share pages that are no root, and are never unmapped. With the registry's lock, both.
  static void* operator new(std::size_t bytes);
  static void operator delete(void* thread);

  // Stores the system's number of the calling thread, which is this one. A fork changes it.
  void renumber();

  const ThreadLocals thread_locals_;
  // Written by the thread and its signal handler, read by the collector while the thread is stopped.
  ThreadStack stack_;
  bool is_blocked_ = false;             // written by the thread under the registry's lock
  bool is_gone_ = false;                // has ended without unregistering; written by the collector
  bool needs_reserved_signal_ = false;  // blocks or takes the stop signal; written by the collector
  // The number of the stop that the thread is to answer; 0 when it has answered, and the number plus 1 when
  // the collector has answered for it. Stop signals from other senders have no effect.
  std::atomic<std::uint32_t> asked_stop_{0};
  // Times of the last stop, if stops are traced: written by the collecting thread, and by this thread when it
  // answers.
  CollectionTrace::Clock::time_point asked_at_;
  CollectionTrace::Clock::time_point answered_at_;
  // Accessed by the thread and its signal handler only.
  std::atomic<std::uint32_t> critical_depth_{0};
  // Accessed by the thread and its signal handler; under ThreadSanitizer, which stops threads without a
  // signal, the collector sets it.
  std::atomic<bool> stop_pending_{false};
  // The word that the thread sleeps on, or is about to sleep on, in the queue for a lock.
  std::atomic<base::FutexWord*> sleeps_on_{nullptr};
  // A Suspension. Changed under the registry's lock, except from `asked`: then by the thread itself, while
  // the suspending thread waits with that lock held.
  base::FutexWord suspension_;

  // Acquire: pairs with the release in set_suspension, so that what was written before is seen.
  [[nodiscard]] Suspension suspension() const {
    return static_cast<Suspension>(suspension_.value().load(std::memory_order_acquire));
  }
  void set_suspension(Suspension suspension) {
    JACKDAW_CHECK(may_follow(this->suspension(), suspension));
    suspension_.value().store(static_cast<std::uint32_t>(suspension), std::memory_order_release);
  }
};

}  // namespace jackdaw::gc
