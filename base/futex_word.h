// FutexWord: a word that threads, and their signal handlers, wait on.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <ctime>

#include "base/spin.h"

namespace jackdaw::base {

/// An atomic word with waiting and waking. All may be called in a signal handler.
class FutexWord {
 public:
  std::atomic<std::uint32_t>& value() { return value_; }
  [[nodiscard]] const std::atomic<std::uint32_t>& value() const { return value_; }

  static constexpr std::uint32_t kAllSleepers = FUTEX_BITSET_MATCH_ANY;

  /// Sleeps while the value is `unwanted`; may return earlier, so ask again. A thread that sleeps as one of
  /// some `sleepers`, a set of bits, may be woken by them alone.
  void wait(std::uint32_t unwanted, std::uint32_t sleepers = kAllSleepers) {
    call(FUTEX_WAIT_BITSET_PRIVATE, unwanted, nullptr, sleepers);
  }
  /// Waits as wait() does, but for at most `time`: then it returns false.
  bool wait_for(std::uint32_t unwanted, std::chrono::nanoseconds time) {
    const timespec limit{time.count() / 1'000'000'000, time.count() % 1'000'000'000};
    return call(FUTEX_WAIT_PRIVATE, unwanted, &limit, 0) == 0 || errno != ETIMEDOUT;
  }
  /// Polls for at most `time`, without sleeping, whether the value is still `unwanted`.
  // Relaxed: a hint; a thread that acts on the value reads it again.
  [[nodiscard]] bool poll_while(std::uint32_t unwanted, std::chrono::nanoseconds time) {
    if (time == time.zero()) return true;
    return !poll_for(time, [&] { return value_.load(std::memory_order_relaxed) != unwanted; });
  }
  /// Wakes all that sleep as one of `sleepers`.
  void wake(std::uint32_t sleepers) { call(FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, nullptr, sleepers); }
  /// Wakes one that sleeps.
  void wake_one() { call(FUTEX_WAKE_PRIVATE, 1, nullptr, 0); }
  /// Wakes all that sleep.
  void wake_all() { wake(kAllSleepers); }

 private:
  long call(int operation, std::uint32_t argument, const timespec* limit, std::uint32_t sleepers) {
    return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&value_), operation, argument, limit, nullptr,
                   sleepers);
  }

  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t) &&
                std::atomic<std::uint32_t>::is_always_lock_free);
  std::atomic<std::uint32_t> value_{0};
};

}  // namespace jackdaw::base
