// ThreadRegistry: the program's threads that use the heap.
//
// It knows which threads are registered, and which of them are blocked. StopProtocol stops them for a
// collection, ThreadSuspension suspends single ones.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/check.h"
#include "gc/process/threads/fiber_stacks.h"
#include "gc/process/threads/process_thread.h"
#include "gc/process/threads/stack_state.h"
#include "gc/process/threads/stop_protocol.h"
#include "gc/process/threads/thread_list.h"
#include "gc/process/threads/thread_locals.h"
#include "gc/process/threads/thread_suspension.h"
#include "gc/report/trace/collection_trace.h"
#include "heap/first_objects.h"
#include "heap/heap.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

/// A process has one. It must not be destroyed while any thread is registered.
class ThreadRegistry {
 public:
  using CriticalSection = StopProtocol::CriticalSection;

  /// Installs the handler of the stop signal (StopSignal::take). The arguments are StopProtocol's. Throws
  /// std::system_error.
  ThreadRegistry(heap::Heap& heap, CollectionTrace& trace, std::chrono::seconds patience,
                 std::uint32_t processors);
  ThreadRegistry(const ThreadRegistry&) = delete;
  ThreadRegistry& operator=(const ThreadRegistry&) = delete;

  /// Stops all other threads.
  StopProtocol& stops() { return stops_; }
  /// Suspends single threads.
  ThreadSuspension& suspension() { return suspension_; }

  /// Returns the calling thread's entry, or null when it is not registered.
  static ProcessThread* current() { return ProcessThread::current(); }
  /// Returns the calling thread's entry; registers the thread if it is not registered. Throws std::bad_alloc.
  ProcessThread& this_thread() { return current() != nullptr ? *current() : register_current(); }
  /// Registers the calling thread, which must not be registered, until it ends or unregisters. Its stack is
  /// scanned up to `stack_end`, or else to its end as the thread library gives it; `stack_bytes` is as in
  /// ThreadStack::of_this_thread. Throws std::bad_alloc, with nothing changed.
  ProcessThread& register_current(std::optional<std::uintptr_t> stack_end = {}, std::size_t stack_bytes = 0);
  /// Unregisters the calling thread, which no longer uses the heap: its references keep no object alive, and
  /// collections do not wait for it.
  void unregister_current();
  /// Returns the number of registered threads. Any thread.
  std::size_t count();

  /// Calls `function(argument)` with the calling thread blocked: collections do not wait for it, and it must
  /// not touch the heap. If it is registered, what its stack held at the call stays a root; what `function`
  /// holds is none. May be nested, also with call_active. `function` may throw.
  void call_blocked(void (*function)(void*), void* argument);
  /// Inside call_blocked: calls `function(argument)` with the calling thread not blocked, after the end of a
  /// collection under way. May be nested. `function` may throw.
  void call_active(void (*function)(void*), void* argument);

  /// Sets where the stack of `thread` ends (ThreadStack::set_end). `thread` is the calling thread, or one
  /// that is blocked or is otherwise known not to run. May be called while the others are stopped.
  void set_stack_end(ProcessThread& thread, std::uintptr_t end);

  /// Sets the word in which the program saves the calling thread's own stack pointer
  /// (ThreadStack::set_saved). The thread is registered.
  void set_saved_pointer(const std::uintptr_t* saved);
  /// Returns the stacks that the program registered. Their mutex is the registry's.
  FiberStacks& fibers() { return fibers_; }

  /// May change the stack pointer of a thread that runs on a stack which the collector does not know.
  using PointerCorrector = void (*)(void** pointer, void* thread);
  /// Has `corrector` called for each stack that is scanned, which is then also scanned from the changed
  /// pointer to its end (set_stack_end); null: there is none. The caller holds the collector's lock.
  void correct_stack_pointers(PointerCorrector corrector) { pointer_corrector_ = corrector; }

  /// The place of a thread's roots: the thread's number, and the end of its stack; 0 for its thread_local
  /// variables.
  struct RootPlace {
    pid_t thread;
    std::uintptr_t stack_end;
  };
  /// Calls `function(RootPlace, heap::Words)` with the used parts of each registered thread's stack,
  /// registers included, and with its thread_local variables, those of `modules`. The caller's own stack is
  /// scanned from `own_stack_pointer` on, unless `own` says that it holds no roots. The others must be
  /// stopped. Notes on which registered stacks threads run; idle ones are left out.
  template <typename Function>
  void for_each_root(std::uintptr_t own_stack_pointer, StackState own,
                     std::span<const ThreadLocalModule> modules, Function function) {
    JACKDAW_CHECK(list_.mutex.is_held_by_caller());
    ProcessThread* const caller = current();
    if (caller != nullptr) caller->stack_.note(own_stack_pointer);
    fibers_.forget_running();
    for (const ProcessThread* const thread : list_.threads) {
      if (FiberStack* const fiber = fibers_.find(thread->stack_.pointer())) fibers_.note_runs(*fiber);
      if (thread != caller || own != StackState::holds_none) {
        const auto visit = [&](heap::Words words) {
          function(RootPlace{thread->number_, thread->stack_.end()}, words);
        };
        thread->stack_.for_each_part(fibers_, visit);
        if (const std::uintptr_t pointer = corrected_pointer(*thread); pointer != 0)
          thread->stack_.for_each_part_from(pointer, visit);
      }
      thread->thread_locals_.for_each_block(modules, [&](heap::Words words) {
        function(RootPlace{thread->number_, 0}, words);
      });
    }
  }

  /// Must be called right before a fork: takes the registry's lock, and keeps all registered threads out of
  /// critical sections until the fork is over; the threads keep running. Until then the caller must not touch
  /// the heap.
  void prepare_fork();
  /// Must be called right after the fork in the parent, even if the fork failed.
  void after_fork_in_parent();
  /// Must be called right after the fork in the child, where the caller is the only thread; unregisters the
  /// others.
  void after_fork_in_child();

 private:
  class BlockedState;

  // Returns the stack pointer that the program gives instead of the thread's; 0 where it leaves that.
  [[nodiscard]] std::uintptr_t corrected_pointer(const ProcessThread& thread) const;
  void set_blocked(bool is_blocked, std::uintptr_t stack_pointer);

  heap::Heap& heap_;
  heap::FirstObjects first_objects_;  // of all registered threads but the first, which is seldom idle
  pthread_key_t at_exit_;             // its value is the registry
  ThreadList list_;
  FiberStacks fibers_{list_.mutex};
  StopProtocol stops_;
  ThreadSuspension suspension_;
  PointerCorrector pointer_corrector_ = nullptr;
};

}  // namespace jackdaw::gc
