// ThreadRegistry: the program's threads that use the heap, and how they are stopped for a collection.
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
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/check.h"
#include "base/export.h"
#include "base/futex_word.h"
#include "base/page_vector.h"
#include "base/signal_action.h"
#include "gc/process/threads/allocating_thread.h"
#include "gc/process/threads/short_stops.h"
#include "gc/process/threads/stack_state.h"
#include "gc/process/threads/stoppable_mutex.h"
#include "gc/process/threads/stops_by_signal.h"
#include "gc/process/threads/thread_locals.h"
#include "gc/process/threads/thread_stack.h"
#include "gc/report/trace/collection_trace.h"
#include "heap/heap.h"
#include "heap/word_scan.h"

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
  /// One past the first word of its stack that is scanned.
  [[nodiscard]] std::uintptr_t stack_end() const { return stack_.end(); }

 private:
  friend class ThreadRegistry;
  friend std::default_delete<ProcessThread>;

  ProcessThread(heap::Heap& heap, const ThreadStack& stack, const ThreadLocals& thread_locals);
  ~ProcessThread() = default;
  // In pages of its own, which are no root.
  static void* operator new(std::size_t bytes);
  static void operator delete(void* thread);

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
  // A Suspension. Changed under the registry's lock, but where it says asked: then by the thread, while
  // whoever asked waits with that lock.
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

/// One for the process. Not destroyed while any thread is registered.
class ThreadRegistry {
  friend class OwnWork;  // tests/verify/thread_registry reaches the handler by way of its stand-in

 public:
  /// Takes the stop signal, unless nobody chose it and the program has a handler for it. Notes stops in
  /// `trace`. A thread that no signal reaches for `patience` while it is to stop ends the program; 0: never.
  /// `processors` threads can run at once.
  /// Throws std::system_error.
  ThreadRegistry(heap::Heap& heap, CollectionTrace& trace, std::chrono::seconds patience,
                 std::uint32_t processors);
  ThreadRegistry(const ThreadRegistry&) = delete;
  ThreadRegistry& operator=(const ThreadRegistry&) = delete;

  /// The signal that stops threads. It may be chosen before the registry is made, and stays from then on. A
  /// thread that blocks or takes it is stopped by another (ReservedSignal), at first late, and so are all as
  /// long as the program does something else with it.
  static int stop_signal() { return chosen_stop_signal_.value_or(kDefaultStopSignal); }
  static void set_stop_signal(int signal);
  /// `signals` without the one that stops threads: what a program may block.
  static sigset_t without_stop_signal(sigset_t signals);

  /// The calling thread's entry, or null when it is not registered.
  static ProcessThread* current() { return static_cast<ProcessThread*>(AllocatingThread::current_); }
  /// The calling thread's entry; registers the thread if it is not registered. Throws std::bad_alloc.
  ProcessThread& this_thread() { return current() != nullptr ? *current() : register_current(); }
  /// Registers the calling thread, which is not registered, until it ends or unregisters. Its stack is
  /// scanned up to `stack_end`, or as far as the thread library knows it. Throws std::bad_alloc, with nothing
  /// changed.
  ProcessThread& register_current(std::optional<std::uintptr_t> stack_end = {});
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

  /// A thread that is registered, and not in a critical section, stands still here if it is to stop.
  static void safepoint();
  /// Sleeps on `word`, as FutexWord::wait, in the queue for a lock. A thread that no signal reaches is woken
  /// where it is to stop, and stops before this returns.
  static void sleep_on(base::FutexWord& word, std::uint32_t unwanted, std::uint32_t sleepers);

  /// Calls `function(argument)` while collections do not wait for the calling thread: it may block, and must
  /// not touch the heap. What it held at the call stays, if it is registered; what `function` holds does not
  /// count. May be nested, also with call_active. `function` may throw.
  void call_blocked(void (*function)(void*), void* argument);
  /// Inside of call_blocked: calls `function(argument)` as if outside, after a collection under way. May be
  /// nested. `function` may throw.
  void call_active(void (*function)(void*), void* argument);

  /// Where the stack of `thread` ends from now on (ThreadStack::set_end). The calling thread's own, or that
  /// of one that is blocked or is otherwise known not to run. Also between stop_others and resume_others.
  void set_stack_end(ProcessThread& thread, std::uintptr_t end);

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

  /// Takes the registry's lock, so that no thread comes or goes, and stops all registered threads but the
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
  /// Between the two: calls `function(pthread_t)` for each thread that was stopped.
  template <typename Function>
  void for_each_stopped(Function function) const {
    JACKDAW_CHECK(mutex_.is_held_by_caller());
    for (ProcessThread* const thread : threads_) {
      if (is_to_stop(thread)) function(thread->handle_);
    }
  }
  /// Where a thread's roots lie: its number, and where its stack ends; 0 for its thread_local variables.
  struct RootPlace {
    pid_t thread;
    std::uintptr_t stack_end;
  };
  /// Between the two: calls `function(RootPlace, heap::Words)` with the parts in use of each registered
  /// thread's stack, the registers included, and with its thread_local variables, those of `modules`; the
  /// caller's own stack from `own_stack_pointer` on, unless `own` says that there is nothing in it.
  template <typename Function>
  void for_each_root(std::uintptr_t own_stack_pointer, StackState own,
                     std::span<const ThreadLocalModule> modules, Function function) {
    JACKDAW_CHECK(mutex_.is_held_by_caller());
    ProcessThread* const caller = current();
    if (caller != nullptr) caller->stack_.note(own_stack_pointer);
    for (const ProcessThread* const thread : threads_) {
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
  // How long threads that were asked have been waited for.
  struct Patience {
    std::chrono::milliseconds waited{0};
    std::chrono::milliseconds blocked{0};  // of that, the last, with a thread that cannot be asked
  };
  // The threads that are asked and did not answer yet.
  struct Unanswered {
    std::uint32_t count = 0;
    const ProcessThread* deaf = nullptr;  // one that cannot be asked
  };

  static std::uintptr_t take_stop_signal();
  static void enter_critical(ProcessThread& thread);
  static void leave_critical(ProcessThread& thread);
  static bool is_to_answer(const ProcessThread& thread);
  static void answer_pending_stop(ProcessThread& thread);
  bool answers_in_handler(ProcessThread& thread);
  static void handle_stop_signal(int, siginfo_t*, void* context);
  // `interrupted`: the context that a signal handler was given.
  [[gnu::noinline]] static void stand_still(ProcessThread& thread, const ucontext_t* interrupted = nullptr);

  static bool is_to_stop(ProcessThread* thread);
  bool ask_to_stop(ProcessThread& thread);
  void set_blocked(bool is_blocked, std::uintptr_t stack_pointer);
  [[nodiscard]] bool has_stop_signal() const;
  [[nodiscard]] int signal_for(const ProcessThread& thread) const;
  bool signal_thread(ProcessThread& thread, int signal);
  void note_gone(ProcessThread& thread);
  void look_for_strangers();
  bool all_stop_by_themselves(std::uint32_t others);
  void wait_until_all_stand_still();
  void await_answers(base::FutexWord& word, std::uint32_t unwanted, Patience& patience);
  static bool is_unanswered(const ProcessThread& thread);
  Unanswered ask_again(bool is_first_time);
  bool ask_otherwise(ProcessThread& thread, bool is_first_time);
  static bool wakes_to_stop(ProcessThread& thread);
  bool stands_in_spawn(ProcessThread& thread);
  void give_up(const ProcessThread& thread) const;
  ProcessThread* find(pthread_t thread) const;
  void answer_suspension(ProcessThread& thread, const ucontext_t* interrupted = nullptr);
  [[gnu::noinline]] void stand_suspended(ProcessThread& thread, const ucontext_t* interrupted);
  [[gnu::noinline]] void stand_by_itself(ProcessThread& thread);
  void begin_to_stand(ProcessThread& thread, std::uintptr_t stack_pointer,
                      const ucontext_t* interrupted = nullptr);
  static void await_resumption(ProcessThread& thread);
  void reply_to_suspender();
  void forget_gone_threads();
  void let_others_go_on();
  void resume_others_now();
  void note_stops();
  void open_sections();

  static ThreadRegistry* registry_;  // the one there is
  // When its handler is taken away, or it is pending while its thread calls exec, the system ignores it.
  // Programs hardly ever use it, and debuggers hand it on without a word.
  static constexpr int kDefaultStopSignal = SIGURG;
  static std::optional<int> chosen_stop_signal_;

  heap::Heap& heap_;
  CollectionTrace& trace_;
  const std::chrono::seconds patience_;
  pthread_key_t at_exit_;
  std::uintptr_t handler_of_kernel_;  // of the stop signal, as long as the program leaves it
  StoppableMutex mutex_;              // guards the list and who is blocked; held while threads are stopped
  base::PageVector<ProcessThread*> threads_;
  base::FutexWord stop_epoch_;                 // odd while threads are to stand still
  std::atomic<bool> one_wakes_others_{false};  // the first that goes on
  ShortStops short_stops_;
  base::FutexWord still_running_;         // threads that were signalled and do not stand still yet
  base::FutexWord suspensions_answered_;  // how often
  // The number of a thread that was asked and is not registered, 0 when there is none: the system gave it
  // again. As long as the registry's lock is held, the thread cannot register.
  std::atomic<pid_t> stranger_{0};
  base::FutexWord sections_closed_;  // not zero while a fork keeps threads out of critical sections
};

}  // namespace jackdaw::gc
