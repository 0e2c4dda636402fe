// ThreadRendezvous: counts the threads that a scheduler really has, and makes it start all of them: each
// waits here for the others.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace jackdaw::bench {

class ThreadRendezvous {
 public:
  /// The default time suffices for hundreds of threads to start on a busy machine.
  explicit ThreadRendezvous(std::uint32_t expected,
                            std::chrono::nanoseconds patience = std::chrono::seconds(2))
      : expected_(expected), end_(std::chrono::steady_clock::now() + patience) {}

  /// To be called once for each expected thread, as a task of the scheduler. Returns when all have come, or
  /// when the time is over.
  void come() {
    std::unique_lock lock(mutex_);
    if (std::chrono::steady_clock::now() >= end_) return;
    if (++came_ == expected_) all_came_.notify_all();
    all_came_.wait_until(lock, end_, [this] { return came_ == expected_; });
  }

  /// Returns how many threads came in time, after all calls have returned.
  [[nodiscard]] std::uint32_t came() const { return came_; }

 private:
  const std::uint32_t expected_;
  const std::chrono::steady_clock::time_point end_;
  std::mutex mutex_;
  std::condition_variable all_came_;
  std::uint32_t came_ = 0;
};

}  // namespace jackdaw::bench
