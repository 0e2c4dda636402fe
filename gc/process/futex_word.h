// FutexWord: a word that threads, and their signal handlers, wait on.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <ctime>

namespace jackdaw::gc {

/// An atomic word with waiting and waking. All may be called in a signal handler.
class FutexWord {
 public:
  std::atomic<std::uint32_t>& value() { return value_; }

  /// Sleeps while the value is `unwanted`; may return earlier, so ask again.
  void wait(std::uint32_t unwanted) { call(FUTEX_WAIT_PRIVATE, unwanted, nullptr); }
  /// As wait, but for at most so long: then it is false.
  bool wait_for(std::uint32_t unwanted, std::time_t seconds) {
    const timespec limit{seconds, 0};
    return call(FUTEX_WAIT_PRIVATE, unwanted, &limit) == 0 || errno != ETIMEDOUT;
  }
  /// Wakes all that sleep.
  void wake_all() { call(FUTEX_WAKE_PRIVATE, INT_MAX, nullptr); }

 private:
  long call(int operation, std::uint32_t argument, const timespec* limit) {
    return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&value_), operation, argument, limit, nullptr,
                   0);
  }

  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t) &&
                std::atomic<std::uint32_t>::is_always_lock_free);
  std::atomic<std::uint32_t> value_{0};
};

}  // namespace jackdaw::gc
