// ParkingLot: where idle workers sleep until one of them is called or all are.
//
// A mutex, and a condition variable for each sleeper: sleeping and waking are rare and cost a system call
// anyway. Not one for all: glibc's up to 2.40 may lose a wake-up when several wait for one (its bug 25847).
// Busy workers read an atomic mirror outside the lock, which says whether any sleeper was not called yet.
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
    Sleeper self;
    add(self);
    self.woken.wait(lock, [&] { return self.is_called || stay_awake(); });
    if (!self.is_called) remove(self);
  }

  /// Wakes one sleeper that was not called before. False when there is none, which is one load: any thread
  /// may ask at every poll. It may be out of date, so ask again later.
  bool wake_one() {
    // Relaxed: a hint. A caller that misses a new sleeper asks again at its next poll.
    if (uncalled_.load(std::memory_order_relaxed) == 0) return false;
    const std::lock_guard lock(mutex_);
    if (newest_ == nullptr) return false;
    Sleeper& called = *newest_;
    remove(called);
    called.is_called = true;
    called.woken.notify_one();
    return true;
  }

  /// Wakes everybody. To be called when `stay_awake` has become true for good.
  void wake_all() {
    const std::lock_guard lock(mutex_);
    for (Sleeper* sleeper = newest_; sleeper != nullptr; sleeper = sleeper->older)
      sleeper->woken.notify_one();
  }

 private:
  // One that sleeps, on its own stack. It leaves with the lock held, so whoever has the lock finds it there.
  struct Sleeper {
    std::condition_variable woken;
    bool is_called = false;
    Sleeper* older = nullptr;
  };

  void add(Sleeper& sleeper) {
    sleeper.older = newest_;
    newest_ = &sleeper;
    count(1);
  }
  void remove(const Sleeper& sleeper) {
    Sleeper** link = &newest_;
    while (*link != &sleeper) link = &(*link)->older;
    *link = sleeper.older;
    count(-1);
  }
  // Relaxed, both: a mirror for hints; the truth is under the lock.
  void count(int change) {
    const std::uint32_t before = uncalled_.load(std::memory_order_relaxed);
    uncalled_.store(before + static_cast<std::uint32_t>(change), std::memory_order_relaxed);
  }

  std::mutex mutex_;
  Sleeper* newest_ = nullptr;  // of those that nobody has called
  alignas(128) std::atomic<std::uint32_t> uncalled_{0};
};

}  // namespace jackdaw::mark
