// StoppableMutex: a mutex whose holder may stop the threads that wait for it.
//
// A thread that cannot have it soon queues, by ticket. Others may pass it, because a mutex that is handed
// from sleeper to sleeper is some thirty times slower than one that a running thread may take. No thread
// passes after a long hold, such as a collection, nor after the first in the queue has woken up in vain, nor
// more often than kMostPasses. So a thread in the queue waits for those before it, and for a few short holds
// or one long one before each of them.
//
// Invariants. turn_ is the ticket of the first in the queue; tickets from it up to next_ are taken, and next_
// == turn_ when the queue is empty. Only the first takes the mutex out of the queue, and advances turn_ while
// it holds it. kAwaited, which makes passes count, is set before the first falls asleep, or by the thread
// before one that becomes the first in its sleep; only the first clears it. kAsleep is set while the first
// sleeps on the state; unlock() clears it and wakes the first, once. No sleeper owns the mutex: a thread
// stopped in the queue holds up only those behind it.
//
// A thread that is to be suspended (ThreadSuspension::suspend), maybe for ever, first releases all such
// mutexes that it holds or waits for.
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
  /// The most times that the first in the queue is passed.
  static constexpr std::uint32_t kMostPasses = 1024;

  void lock() {
    JACKDAW_CHECK(!is_held_by_caller());
    add_use();
    if (!take()) [[unlikely]]
      lock_slowly();
  }
  bool try_lock();
  void unlock();

  /// Sets how long a thread polls before it queues, by default the length of short holds. For the holder.
  // Relaxed: a length of time that orders nothing.
  void set_polling_time(std::chrono::nanoseconds time) {
    JACKDAW_CHECK(is_held_by_caller());
    polling_time_.store(std::max(time, kShortHold), std::memory_order_relaxed);
  }
  /// Keeps threads from passing the queue when the holder unlocks: for a holder that has held it for long,
  /// and may want it again at once.
  void let_nobody_pass();
  /// Whether the calling thread holds it.
  // A thread without uses holds none. Relaxed: the thread's own writes.
  [[nodiscard]] bool is_held_by_caller() const {
    return uses() != 0 && pthread_equal(holder_.load(std::memory_order_relaxed), pthread_self()) != 0;
  }
  /// Empties the queue in a fork's child, where its threads do not exist. For the holder.
  void forget_queue();

  /// Returns how many such mutexes the calling thread holds or waits for.
  // Relaxed, here and where it is written: the thread and its own signal handler are one thread.
  static std::uint32_t uses() { return uses_.load(std::memory_order_relaxed); }

 private:
  // These are the parts of the state.
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kAwaited = 2;
  static constexpr std::uint32_t kAsleep = 4;  // the first sleeps, or is about to
  static constexpr std::uint32_t kPass = 8;    // one pass, in the remaining bits
  static constexpr std::uint32_t kNoPassLeft = kMostPasses * kPass;

  // The signal fences, here and in end_use, keep the compiler from moving the count across what it counts.
  static void add_use() {
    uses_.store(uses() + 1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  static void end_use();

  // The model avoids a call of the thread library at each access, also in a shared library.
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

/// Holds a mutex while it exists, also if the calling thread holds it already: for functions that callbacks
/// may call with the mutex held.
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
