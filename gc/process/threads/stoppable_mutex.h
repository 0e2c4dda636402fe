// StoppableMutex: a mutex whose holder may stop the threads that wait for it.
//
// A thread that cannot have it soon queues, by ticket. Others may pass it: a mutex that is handed from
// sleeper to sleeper is some thirty times slower than one that a running thread may take. But none passes
// after a long hold, such as a collection, nor after the first in the queue has woken up in vain, nor more
// often than kMostPasses. So a thread that queues waits for those before it, and for a few short holds, or a
// long one, before each of them.
//
// Invariants. turn_ is the ticket of the first in the queue; tickets from it up to next_ are taken, and
// next_ == turn_ when nobody queues. Only the first takes the mutex out of the queue; it moves turn_ on while
// it holds the mutex. kAwaited, by which passes count, is set before the first falls asleep, and for one that
// becomes the first in its sleep by the one before; only the first clears it. kAsleep is set while the first
// sleeps on the state; whoever unlocks clears it and wakes the first, once. No sleeper owns the mutex: a
// thread that stands still in the queue holds up those behind it, and nobody else.
//
// A thread that is suspended (ThreadSuspension::suspend), maybe for ever, neither holds one nor queues for
// one: it goes on, and the queue with it, until it has released the last.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/check.h"
#include "base/futex_word.h"

namespace jackdaw::gc {

/// A std::mutex that is roughly fair. Where threads are stopped without signals, waiting for it is a
/// safepoint.
class StoppableMutex {
 public:
  /// How often the first in the queue is passed, at most.
  static constexpr std::uint32_t kMostPasses = 1024;

  void lock() {
    JACKDAW_CHECK(!is_held_by_caller());
    add_use();
    if (!take()) [[unlikely]]
      lock_slowly();
  }
  bool try_lock();
  void unlock();

  /// The holder sets how long a thread polls before it queues. At first that is as long as short holds take.
  // Relaxed: an amount of time that orders nothing.
  void set_polling_time(std::chrono::nanoseconds time) {
    JACKDAW_CHECK(is_held_by_caller());
    polling_time_.store(std::max(time, kShortHold), std::memory_order_relaxed);
  }
  /// Called by the holder: no thread passes the queue when it unlocks. For a thread that holds it for long,
  /// and may want it again at once.
  void let_nobody_pass();
  [[nodiscard]] bool is_held_by_caller() const;
  /// By the holder, in the child of a fork: the threads that queued did not come along.
  void forget_queue();

  /// How many of them the calling thread holds or waits for.
  // Relaxed, here and where it is written: the thread and its own signal handler are one thread.
  static std::uint32_t uses() { return uses_.load(std::memory_order_relaxed); }

 private:
  // In the state.
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kAwaited = 2;
  static constexpr std::uint32_t kAsleep = 4;  // the first is, or is about to be
  static constexpr std::uint32_t kPass = 8;    // the unit of the count of passes, which fills the rest
  static constexpr std::uint32_t kNoPassLeft = kMostPasses * kPass;

  // The signal fences, here and in end_use, keep the compiler from moving the count past what it counts.
  static void add_use() {
    uses_.store(uses() + 1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  static void end_use();

  // Without a call of the thread library's at each access, in a shared library, too.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local std::atomic<std::uint32_t> uses_;

  static constexpr std::chrono::nanoseconds kShortHold = std::chrono::microseconds(4);

  bool take();
  bool take_by_polling();
  void lock_slowly();
  void take_as_first();

  base::FutexWord state_;  // the first of the queue sleeps on it
  base::FutexWord turn_;   // the others do
  std::atomic<std::uint32_t> next_{0};
  std::atomic<pthread_t> holder_{};
  std::atomic<std::chrono::nanoseconds> polling_time_{kShortHold};
};

/// Holds a mutex while it exists, whether or not the calling thread holds it already: for what callbacks may
/// call that run with the mutex held.
class NestedLock {
 public:
  explicit NestedLock(StoppableMutex& mutex) : mutex_(mutex.is_held_by_caller() ? nullptr : &mutex) {
    if (mutex_ != nullptr) mutex_->lock();
  }
  ~NestedLock() {
    if (mutex_ != nullptr) mutex_->unlock();
  }
  NestedLock(const NestedLock&) = delete;
  NestedLock& operator=(const NestedLock&) = delete;

 private:
  StoppableMutex* const mutex_;
};

}  // namespace jackdaw::gc
