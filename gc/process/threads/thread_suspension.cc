// Threads that somebody suspends, for as long as he likes.
//
// A suspended thread is to collections what a blocked one is: it is stopped, and the collector knows where
// its stack ends. Collections must not wait for it, so it holds nothing that they need: it is stopped in its
// signal handler only when it is in no critical section and uses no lock (StoppableMutex), else when it
// released the last.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "base/check.h"
#include "base/signals_blocked.h"
#include "gc/process/threads/reserved_signal.h"
#include "gc/process/threads/stack_pointer.h"
#include "gc/process/threads/stoppable_mutex.h"
#include "gc/process/threads/thread_registry.h"

namespace jackdaw::gc {

constinit thread_local std::atomic<std::uint32_t> StoppableMutex::uses_{0};

// Relaxed: see uses().
void StoppableMutex::end_use() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  JACKDAW_CHECK(uses() != 0);
  const std::uint32_t left = uses() - 1;
  uses_.store(left, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (left == 0) ThreadRegistry::stand_if_suspended();
}

ProcessThread* ThreadRegistry::find(pthread_t thread) const {
  JACKDAW_CHECK(mutex_.is_held_by_caller());
  for (ProcessThread* const entry : threads_) {
    if (!entry->is_gone_ && pthread_equal(entry->handle_, thread) != 0) return entry;
  }
  return nullptr;
}

void ThreadRegistry::suspend(pthread_t thread) {
  const std::lock_guard lock(mutex_);
  ProcessThread* const entry = find(thread);
  if (entry == nullptr || entry->suspension() != Suspension::none) return;
  if (entry == current() || entry->is_blocked_) {
    entry->set_suspension(Suspension::put_off);
    return;
  }
  entry->set_suspension(Suspension::asked);
  stranger_.store(0, std::memory_order_relaxed);  // as in stop_others
  ask_to_stop(*entry);
  Patience patience;
  for (;;) {
    // Acquire: pairs with the release in reply_to_suspender, so that the answer is seen.
    const std::uint32_t answers = suspensions_answered_.value().load(std::memory_order_acquire);
    if (entry->suspension() != Suspension::asked || entry->is_gone_) return;
    await_answers(suspensions_answered_, answers, patience);
  }
}

void ThreadRegistry::await_suspension(pthread_t thread) {
  constexpr std::chrono::seconds kTimeToLookAgain{1};
  for (;;) {
    // Acquire: as in suspend.
    const std::uint32_t answers = suspensions_answered_.value().load(std::memory_order_acquire);
    {
      const std::lock_guard lock(mutex_);
      ProcessThread* const entry = find(thread);
      if (entry == nullptr || entry->is_blocked_ || entry->suspension() != Suspension::put_off) return;
    }
    suspensions_answered_.wait_for(answers, kTimeToLookAgain);
  }
}

void ThreadRegistry::resume(pthread_t thread) {
  const std::lock_guard lock(mutex_);
  ProcessThread* const entry = find(thread);
  if (entry == nullptr) return;
  entry->set_suspension(Suspension::none);
  entry->suspension_.wake_all();
  reply_to_suspender();
}

bool ThreadRegistry::is_suspended(pthread_t thread) {
  const std::lock_guard lock(mutex_);
  ProcessThread* const entry = find(thread);
  return entry != nullptr && entry->suspension() != Suspension::none;
}

bool ThreadRegistry::has_suspended() {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(threads_,
                             [](ProcessThread* thread) { return thread->suspension() != Suspension::none; });
}

// In the signal handler, or as there.
void ThreadRegistry::answer_suspension(ProcessThread& thread, const ucontext_t* interrupted) {
  if (thread.suspension() != Suspension::asked) return;
  if (StoppableMutex::uses() == 0) {
    stand_suspended(thread, interrupted);
  } else {
    thread.set_suspension(Suspension::put_off);
    reply_to_suspender();
  }
}

// The thread that asked holds the registry's lock until this thread stands still: no collection is under way.
void ThreadRegistry::stand_suspended(ProcessThread& thread, const ucontext_t* interrupted) {
  begin_to_stand(thread, stack_pointer_below_registers(), interrupted);
  await_resumption(thread);
}

// With all signals blocked, so that the thread is not cancelled here. It may take for ever, so the one gets
// through that setuid waits for; where it is a late stop signal, there is nothing to answer.
void ThreadRegistry::await_resumption(ProcessThread& thread) {
  JACKDAW_CHECK(StoppableMutex::uses() == 0);
  const base::SignalsBlocked but_for_setuid(base::kAllSignals & ~base::bit_of(ReservedSignal::kNumber));
  while (thread.suspension() == Suspension::standing)
    thread.suspension_.wait(static_cast<std::uint32_t>(Suspension::standing));
}

// The stack of a blocked thread is noted already, and a collection may be looking there.
void ThreadRegistry::begin_to_stand(ProcessThread& thread, std::uintptr_t stack_pointer,
                                    const ucontext_t* interrupted) {
  // Relaxed: the thread's own word.
  JACKDAW_CHECK(thread.critical_depth_.load(std::memory_order_relaxed) == 0);
  if (!thread.is_blocked_) thread.stack_.note(stack_pointer, interrupted);
  thread.set_suspension(Suspension::standing);
  reply_to_suspender();
}

// Relaxed, all: the thread's own words.
void ThreadRegistry::stand_if_suspended() {
  ProcessThread* const thread = current();
  if (thread == nullptr || StoppableMutex::uses() != 0) return;
  if (thread->suspension() != Suspension::put_off) return;
  if (thread->critical_depth_.load(std::memory_order_relaxed) != 0) {
    thread->stop_pending_.store(true, std::memory_order_relaxed);  // at the section's end
  } else {
    registry_->stand_by_itself(*thread);
  }
}

// Release: pairs with the acquires in suspend and await_suspension.
void ThreadRegistry::reply_to_suspender() {
  suspensions_answered_.value().fetch_add(1, std::memory_order_release);
  suspensions_answered_.wake_all();
}

}  // namespace jackdaw::gc
