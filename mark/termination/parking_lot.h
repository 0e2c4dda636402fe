// ParkingLot: where idle workers sleep until one of them is called or all are.
//
// A mutex and a condition variable: sleeping and waking are rare and cost a system call anyway. What busy
// workers read, whether somebody sleeps whom nobody has called yet, is an atomic mirror outside the lock.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace jackdaw::mark {

class ParkingLot {
 public:
  /// Sleeps until called, unless `stay_awake()`, asked under the lock, is true. `stay_awake` must become true
  /// before wake_all is called; then nobody sleeps through it.
  template <typename Predicate>
  void park(Predicate stay_awake) {
    std::unique_lock lock(mutex_);
    if (stay_awake()) return;
    ++sleepers_;
    publish();
    condition_.wait(lock, [&] { return calls_ > 0 || stay_awake(); });
    --sleepers_;
    if (calls_ > 0) --calls_;
    publish();
  }

  /// Wakes one sleeper that was not called before. False when there is none, which is one load: any thread
  /// may ask at every look around. It may be out of date, so ask again later.
  bool wake_one() {
    // Relaxed: a hint. A caller that misses a new sleeper asks again at its next look around.
    if (uncalled_.load(std::memory_order_relaxed) == 0) return false;
    const std::lock_guard lock(mutex_);
    if (calls_ >= sleepers_) return false;
    ++calls_;
    publish();
    condition_.notify_one();
    return true;
  }

  /// Wakes everybody. To be called when `stay_awake` has become true for good.
  void wake_all() {
    const std::lock_guard lock(mutex_);
    condition_.notify_all();
  }

 private:
  // Relaxed: a mirror for hints; the truth is under the lock.
  void publish() { uncalled_.store(sleepers_ - calls_, std::memory_order_relaxed); }

  std::mutex mutex_;
  std::condition_variable condition_;
  std::uint32_t sleepers_ = 0;
  std::uint32_t calls_ = 0;  // never more than sleepers_
  alignas(128) std::atomic<std::uint32_t> uncalled_{0};
};

}  // namespace jackdaw::mark
