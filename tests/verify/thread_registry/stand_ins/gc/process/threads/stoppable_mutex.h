// Stands in for gc/process/threads/stoppable_mutex.h: a lock in whose queue threads take signals.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/signals_blocked.h"

namespace jackdaw::gc {

class StoppableMutex {
 public:
  [[gnu::noinline]] void lock() {
    uses_.store(uses() + 1, std::memory_order_relaxed);
    for (;;) {
      std::uint32_t free = 0;
      if (state_.compare_exchange_strong(free, 1, std::memory_order_acquire)) return;
      static_cast<void>(
          verify::is_interrupted_while([this] { return state_.load(std::memory_order_relaxed) != 0; }));
      verify::take_signals();
      // This loop is taken for one that waits, too, unless something is written in it.
      verify::own_signals().has_waited = true;
    }
  }
  void unlock() {
    state_.store(0, std::memory_order_release);
    end_use();
  }
  static void let_nobody_pass() {}
  void forget_queue() {}

  static std::uint32_t uses() { return uses_.load(std::memory_order_relaxed); }

 private:
  static void end_use();

  [[gnu::tls_model("initial-exec")]] static constinit thread_local std::atomic<std::uint32_t> uses_;

  std::atomic<std::uint32_t> state_{0};
};

struct NestedLock {
  explicit NestedLock(StoppableMutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  ~NestedLock() { mutex_.unlock(); }
  StoppableMutex& mutex_;
};

}  // namespace jackdaw::gc
