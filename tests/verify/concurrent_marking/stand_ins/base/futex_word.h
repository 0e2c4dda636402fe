// Stands in for base/futex_word.h: whoever waits looks again and again. So does who waits for a limited
// time, but for as often as a client has the time run out: then it looks once, and so it does where the time
// is short.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "tests/verify/verify.h"

namespace verify {

// How many waits end for lack of time from now on. Of the one thread that waits so.
inline std::uint32_t timeouts = 0;
// By thread, each of which writes its own.
inline std::array<bool, 4> has_waited;

}  // namespace verify

namespace jackdaw::base {

class FutexWord {
 public:
  std::atomic<std::uint32_t>& value() { return value_; }
  // Relaxed: who has waited asks for the value again, and that orders what follows.
  void wait(std::uint32_t unwanted) {
    while (value_.load(std::memory_order_relaxed) == unwanted) continue;
    // A loop around this one is taken for one that waits, too, unless something is written in it.
    verify::has_waited[__VERIFIER_thread_self()] = true;
  }
  bool wait_for(std::uint32_t unwanted, std::chrono::nanoseconds time) {
    if (time < std::chrono::milliseconds(1)) return value_.load(std::memory_order_relaxed) != unwanted;
    if (verify::timeouts == 0) {
      wait(unwanted);
      return true;
    }
    --verify::timeouts;
    return value_.load(std::memory_order_relaxed) != unwanted;
  }
  static void wake_all() {}

 private:
  std::atomic<std::uint32_t> value_{0};
};

}  // namespace jackdaw::base
