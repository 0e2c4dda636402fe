#include "gc/process/threads/thread_suspension.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>

#include "base/check.h"
#include "base/signals_blocked.h"
#include "gc/process/threads/reserved_signal.h"
#include "gc/process/threads/stack_pointer.h"
#include "gc/process/threads/stoppable_mutex.h"

namespace jackdaw::gc {

// These two lie here rather than in stoppable_mutex.cc, which the model checker is given without suspensions.
constinit thread_local std::atomic<std::uint32_t> StoppableMutex::uses_{0};

// Relaxed: see uses().
void StoppableMutex::end_use() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  JACKDAW_CHECK(uses() != 0);
  const std::uint32_t left = uses() - 1;
  uses_.store(left, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (left == 0) ThreadSuspension::stop_if_suspended();
}

ThreadSuspension* ThreadSuspension::suspension_ = nullptr;

void ThreadSuspension::suspend(pthread_t thread) {
  const std::lock_guard lock(list_.mutex);
  ProcessThread* const entry = list_.find(thread);
  if (entry == nullptr || entry->suspension() != Suspension::none) return;
  if (entry == ProcessThread::current() || entry->is_blocked_) {
    entry->set_suspension(Suspension::put_off);
    return;
  }
  entry->set_suspension(Suspension::asked);
  requests_.forget_stranger();
  requests_.ask_to_stop(*entry);
  StopRequests::Patience patience;
  for (;;) {
    // Acquire: pairs with the release in reply_to_suspender, so that the answer is seen.
    const std::uint32_t answers = suspensions_answered_.value().load(std::memory_order_acquire);
    if (entry->suspension() != Suspension::asked || entry->is_gone_) return;
    requests_.await_answers(suspensions_answered_, answers, patience);
  }
}

void ThreadSuspension::await_suspension(pthread_t thread) {
  constexpr std::chrono::seconds kTimeToLookAgain{1};
  for (;;) {
    // Acquire: as in suspend.
    const std::uint32_t answers = suspensions_answered_.value().load(std::memory_order_acquire);
    {
      const std::lock_guard lock(list_.mutex);
      ProcessThread* const entry = list_.find(thread);
      if (entry == nullptr || entry->is_blocked_ || entry->suspension() != Suspension::put_off) return;
    }
    suspensions_answered_.wait_for(answers, kTimeToLookAgain);
  }
}

void ThreadSuspension::resume(pthread_t thread) {
  const std::lock_guard lock(list_.mutex);
  ProcessThread* const entry = list_.find(thread);
  if (entry == nullptr) return;
  entry->set_suspension(Suspension::none);
  entry->suspension_.wake_all();
  reply_to_suspender();
}

bool ThreadSuspension::is_suspended(pthread_t thread) {
  const std::lock_guard lock(list_.mutex);
  ProcessThread* const entry = list_.find(thread);
  return entry != nullptr && entry->suspension() != Suspension::none;
}

bool ThreadSuspension::has_suspended() {
  const std::lock_guard lock(list_.mutex);
  return std::ranges::any_of(list_.threads,
                             [](ProcessThread* thread) { return thread->suspension() != Suspension::none; });
}

void ThreadSuspension::answer(ProcessThread& thread, const ucontext_t* interrupted) {
  if (thread.suspension() != Suspension::asked) return;
  if (StoppableMutex::uses() == 0) {
    suspension_->stop_suspended(thread, interrupted);
  } else {
    thread.set_suspension(Suspension::put_off);
    suspension_->reply_to_suspender();
  }
}

// The suspending thread holds the registry's lock until this thread has stopped, so no collection is under
// way.
void ThreadSuspension::stop_suspended(ProcessThread& thread, const ucontext_t* interrupted) {
  note_stopped(thread, stack_pointer_below_registers(), interrupted);
  await_resumption(thread);
}

// While the lock is held, no collection waits for this thread. The lock is released before the thread stops,
// and no handler runs in between.
void ThreadSuspension::stop_by_itself(ProcessThread& thread) {
  std::optional<base::SignalsBlocked> as_in_a_handler;
  {
    const std::lock_guard lock(list_.mutex);
    if (thread.suspension() != Suspension::put_off) return;
    as_in_a_handler.emplace(base::kAllSignals);
    note_stopped(thread, stack_pointer_below_registers());
  }
  await_resumption(thread);
}

// All signals are blocked, so that the thread is not cancelled here, except the one that setuid waits for, as
// the suspension may last for ever. If that one is a late stop signal, there is nothing to answer.
void ThreadSuspension::await_resumption(ProcessThread& thread) {
  JACKDAW_CHECK(StoppableMutex::uses() == 0);
  const base::SignalsBlocked but_for_setuid(base::kAllSignals & ~base::bit_of(ReservedSignal::kNumber));
  while (thread.suspension() == Suspension::stopped)
    thread.suspension_.wait(static_cast<std::uint32_t>(Suspension::stopped));
}

// The stack of a blocked thread is already noted, and a collection may be scanning it.
void ThreadSuspension::note_stopped(ProcessThread& thread, std::uintptr_t stack_pointer,
                                    const ucontext_t* interrupted) {
  // Relaxed: the thread's own word.
  JACKDAW_CHECK(thread.critical_depth_.load(std::memory_order_relaxed) == 0);
  if (!thread.is_blocked_) thread.stack_.note(stack_pointer, interrupted);
  thread.set_suspension(Suspension::stopped);
  reply_to_suspender();
}

// Relaxed, all: the thread's own words.
void ThreadSuspension::stop_if_suspended() {
  ProcessThread* const thread = ProcessThread::current();
  if (thread == nullptr || StoppableMutex::uses() != 0) return;
  if (thread->suspension() != Suspension::put_off) return;
  if (thread->critical_depth_.load(std::memory_order_relaxed) != 0) {
    thread->stop_pending_.store(true, std::memory_order_relaxed);  // at the section's end
  } else {
    suspension_->stop_by_itself(*thread);
  }
}

// Release: pairs with the acquires in suspend and await_suspension.
void ThreadSuspension::reply_to_suspender() {
  suspensions_answered_.value().fetch_add(1, std::memory_order_release);
  suspensions_answered_.wake_all();
}

}  // namespace jackdaw::gc
