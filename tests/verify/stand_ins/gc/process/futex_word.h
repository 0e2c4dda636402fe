// Stands in for gc/process/futex_word.h: whoever waits looks again and again.
#pragma once

#include <atomic>
#include <cstdint>

namespace jackdaw::gc {

class FutexWord {
 public:
  std::atomic<std::uint32_t>& value() { return value_; }
  // Relaxed: who has waited asks for the value again, and that orders what follows.
  void wait(std::uint32_t unwanted) {
    while (value_.load(std::memory_order_relaxed) == unwanted) continue;
  }
  static void wake_all() {}

 private:
  std::atomic<std::uint32_t> value_{0};
};

}  // namespace jackdaw::gc
