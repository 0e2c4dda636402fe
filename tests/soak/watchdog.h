// Watchdog: a thread that the collector does not know, which looks whether the others get on, and at the
// process's memory, and says on a terminal how far they are.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace jackdaw::soak {

/// Ends the program when for a minute no thread does anything (counted in looks: a process that gets no
/// processor is not at fault), or when the resident memory is more than
/// allowed_bytes() from a quarter of the time on, or the first minute.
class Watchdog {
 public:
  explicit Watchdog(std::chrono::seconds duration) : duration_(duration), thread_([this] { watch(); }) {}
  ~Watchdog() {
    // Relaxed: says only that it is time.
    is_over_.store(true, std::memory_order_relaxed);
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  using Clock = std::chrono::steady_clock;

  void watch();
  void check_progress();
  void check_memory(Clock::time_point now) const;
  void show_progress(Clock::time_point now) const;

  const std::chrono::seconds duration_;
  const Clock::time_point start_ = Clock::now();
  std::uint64_t last_rounds_ = 0;
  int looks_without_progress_ = 0;
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

}  // namespace jackdaw::soak
