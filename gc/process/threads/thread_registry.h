// ThreadRegistry: the program's threads that use the heap.
//
// It knows who is registered, and who is blocked. StopProtocol stops them for a collection, ThreadSuspension
// suspends them one by one.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/check.h"
#include "gc/process/threads/process_thread.h"
#include "gc/process/threads/stack_state.h"
#include "gc/process/threads/stop_protocol.h"
#include "gc/process/threads/thread_list.h"
#include "gc/process/threads/thread_locals.h"
#include "gc/process/threads/thread_suspension.h"
#include "gc/report/trace/collection_trace.h"
#include "heap/heap.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

/// One for the process. Not destroyed while any thread is registered.
class ThreadRegistry {
 public:
  using CriticalSection = StopProtocol::CriticalSection;

  /// Takes the stop signal (StopSignal::take). The arguments are StopProtocol's. Throws std::system_error.
  ThreadRegistry(heap::Heap& heap, CollectionTrace& trace, std::chrono::seconds patience,
                 std::uint32_t processors);
  ThreadRegistry(const ThreadRegistry&) = delete;
  ThreadRegistry& operator=(const ThreadRegistry&) = delete;

  /// How all others are stopped.
  StopProtocol& stops() { return stops_; }
  /// How one is suspended.
  ThreadSuspension& suspension() { return suspension_; }

  /// The calling thread's entry, or null when it is not registered.
  static ProcessThread* current() { return ProcessThread::current(); }
  /// The calling thread's entry; registers the thread if it is not registered. Throws std::bad_alloc.
  ProcessThread& this_thread() { return current() != nullptr ? *current() : register_current(); }
  /// Registers the calling thread, which is not registered, until it ends or unregisters. Its stack is
  /// scanned up to `stack_end`, or as far as the thread library knows it; `stack_bytes` as in
  /// ThreadStack::of_this_thread. Throws std::bad_alloc, with nothing changed.
  ProcessThread& register_current(std::optional<std::uintptr_t> stack_end = {}, std::size_t stack_bytes = 0);
  /// The calling thread does not use the heap any more: nothing that it holds keeps an object. Collections do
  /// not wait for it.
  void unregister_current();
  /// Registered threads. Any thread.
  std::size_t count();

  /// Calls `function(argument)` while collections do not wait for the calling thread: it may block, and must
  /// not touch the heap. What it held at the call stays, if it is registered; what `function` holds does not
  /// count. May be nested, also with call_active. `function` may throw.
  void call_blocked(void (*function)(void*), void* argument);
  /// Inside of call_blocked: calls `function(argument)` as if outside, after a collection under way. May be
  /// nested. `function` may throw.
  void call_active(void (*function)(void*), void* argument);

  /// Where the stack of `thread` ends from now on (ThreadStack::set_end). The calling thread's own, or that
  /// of one that is blocked or is otherwise known not to run. Also while the others are stopped.
  void set_stack_end(ProcessThread& thread, std::uintptr_t end);

  /// Where a thread's roots lie: its number, and where its stack ends; 0 for its thread_local variables.
  struct RootPlace {
    pid_t thread;
    std::uintptr_t stack_end;
  };
  /// While the others are stopped: calls `function(RootPlace, heap::Words)` with the parts in use of each
  /// registered thread's stack, the registers included, and with its thread_local variables, those of
  /// `modules`; the caller's own stack from `own_stack_pointer` on, unless `own` says that there is nothing
  /// in it.
  template <typename Function>
  void for_each_root(std::uintptr_t own_stack_pointer, StackState own,
                     std::span<const ThreadLocalModule> modules, Function function) {
    JACKDAW_CHECK(list_.mutex.is_held_by_caller());
    ProcessThread* const caller = current();
    if (caller != nullptr) caller->stack_.note(own_stack_pointer);
    for (const ProcessThread* const thread : list_.threads) {
      if (thread != caller || own != StackState::holds_none) {
        thread->stack_.for_each_part([&](heap::Words words) {
          function(RootPlace{thread->number_, thread->stack_.end()}, words);
        });
      }
      thread->thread_locals_.for_each_block(modules, [&](heap::Words words) {
        function(RootPlace{thread->number_, 0}, words);
      });
    }
  }

  /// Right before a fork: takes the registry's lock, and sees to it that no registered thread is in a
  /// critical section, nor enters one, until the fork is over; the threads run on. Until then the caller must
  /// not touch the heap.
  void prepare_fork();
  /// Right after it, in the parent, also when there was no child.
  void after_fork_in_parent();
  /// Right after it, in the child, where the caller is the only thread: the others are not registered any
  /// more.
  void after_fork_in_child();

 private:
  class BlockedState;

  void set_blocked(bool is_blocked, std::uintptr_t stack_pointer);

  heap::Heap& heap_;
  pthread_key_t at_exit_;  // its value is the registry
  ThreadList list_;
  StopProtocol stops_;
  ThreadSuspension suspension_;
};

}  // namespace jackdaw::gc
