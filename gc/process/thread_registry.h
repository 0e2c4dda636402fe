// ThreadRegistry: the program's threads that use the heap, and how they are stopped for a collection.
//
// A thread is stopped by a signal, at any instruction; its registers are then on its stack, which the
// collector scans. A thread that is in a critical section, where the heap's tables are in disorder or locked,
// notes the request and stops at the section's end. A thread that declared itself blocked is left alone: it
// does not touch the heap, and waits if it wants to go on before the collection is over.
//
// Stopping is a count that the threads decrease and the collector waits for; going on is a change of the stop
// epoch, which is odd while threads are to stand still. Both waits are futexes: the signal handler may use
// them, and nothing else that could be locked.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "gc/process/futex_word.h"
#include "gc/stack_state.h"
#include "heap/allocator.h"
#include "heap/heap.h"
#include "heap/system_memory.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

/// A registered thread. Made and destroyed by the registry; all else is for the thread itself.
class ProcessThread {
 public:
  ProcessThread(heap::Heap& heap, std::uintptr_t stack_end)
      : handle_(pthread_self()), stack_end_(stack_end), allocator_(heap) {}

  heap::Allocator& allocator() { return allocator_; }

 private:
  friend class ThreadRegistry;

  const pthread_t handle_;
  const std::uintptr_t stack_end_;  // one past the first word that the thread pushed
  heap::Allocator allocator_;
  // Written by the thread and its signal handler, read by the collector while the thread stands still.
  std::uintptr_t stack_pointer_ = 0;
  bool is_blocked_ = false;  // guarded by the registry's lock
  // Written and read by the thread and its signal handler alone.
  std::atomic<std::uint32_t> critical_depth_{0};
  std::atomic<bool> stop_pending_{false};
};

/// One for the process. Not destroyed while any thread is registered.
class ThreadRegistry {
 public:
  /// Takes the stop signal. Throws std::system_error.
  explicit ThreadRegistry(heap::Heap& heap);
  ThreadRegistry(const ThreadRegistry&) = delete;
  ThreadRegistry& operator=(const ThreadRegistry&) = delete;

  /// The calling thread's entry, or null when it is not registered.
  static ProcessThread* current() { return current_; }
  /// Registers the calling thread, with the bounds of its stack as the thread library knows them, until it
  /// ends or unregisters. Throws std::bad_alloc.
  ProcessThread& register_current();
  /// The calling thread does not use the heap any more: nothing that it holds keeps an object. Collections do
  /// not wait for it.
  void unregister_current();
  /// Registered threads. Any thread.
  std::size_t count();

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

  /// Calls `function(argument)` while collections do not wait for the calling thread: it may block, and must
  /// not touch the heap. What it held at the call stays, if it is registered.
  void call_blocked(void (*function)(void*), void* argument);

  /// Takes the registry's lock, so that no thread comes or goes, and stops all registered threads but the
  /// caller. Returns when they stand still.
  void stop_others();
  /// Lets them go on.
  void resume_others();
  /// Between the two: calls `function(heap::Words)` with the part in use of each registered thread's stack,
  /// the registers included; the caller's own from `own_stack_pointer` on, unless `own` says that there is
  /// nothing in it.
  template <typename Function>
  void for_each_stack(std::uintptr_t own_stack_pointer, StackState own, Function function) {
    for (const ProcessThread* const thread : threads_) {
      if (thread == current_ && own == StackState::holds_none) continue;
      const std::uintptr_t from = thread == current_ ? own_stack_pointer : thread->stack_pointer_;
      function(heap::whole_words_between(from, thread->stack_end_));
    }
  }

 private:
  // The registry's lock for whoever changes something: before a collector that wants it, too. A mutex alone
  // would let a thread that collects again and again keep all others waiting.
  class Change {
   public:
    explicit Change(ThreadRegistry& registry);
    ~Change() { registry_.mutex_.unlock(); }
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

   private:
    ThreadRegistry& registry_;
  };

  static void enter_critical(ProcessThread& thread);
  static void leave_critical(ProcessThread& thread);
  static void handle_stop_signal(int);
  [[gnu::noinline]] static void stand_still(ProcessThread& thread);

  void block_current(std::uintptr_t stack_pointer);
  void unblock_current();
  void wait_until_all_stand_still();

  static ThreadRegistry* registry_;  // the one there is
  static constinit thread_local ProcessThread* current_;

  heap::Heap& heap_;
  pthread_key_t at_exit_;
  std::mutex mutex_;  // guards the list and who is blocked; held while threads are stopped
  std::atomic<std::uint32_t> changes_wanted_{0};
  heap::SystemVector<ProcessThread*> threads_;
  FutexWord stop_epoch_;     // odd while threads are to stand still
  FutexWord still_running_;  // threads that were signalled and do not stand still yet
};

}  // namespace jackdaw::gc
