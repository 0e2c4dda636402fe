// Backoff: how an idle worker waits between two searches for tasks.
//
// Sources: Arora, Blumofe and Plaxton, "Thread Scheduling for Multiprogrammed Multiprocessors", SPAA 1998:
// when there are more threads than processors, a thief must yield between attempts, or the owner that it
// waits for may not run; Hassanein, ISMM 2016, for the order spin, yield, sleep.
#pragma once

#include <cstdint>
#include <thread>

#include "base/spin.h"

namespace jackdaw::mark {

/// A policy that pauses for a while, then yields for a while, and a wait by it: copy the policy to begin a
/// wait. Cheap to copy; used by one thread.
class Backoff {
 public:
  /// `crowded`: there are more workers than processors. A waiting worker then yields at once, so that workers
  /// with tasks get the processors.
  explicit constexpr Backoff(bool crowded = false) : crowded_(crowded) {}

  /// Waits a little. Returns false, without waiting, when it is time to leave the round instead.
  bool wait() {
    if (waits_ == kPauses + kYields) return false;
    if (waits_++ < kPauses && !crowded_) {
      for (std::uint32_t i = 0; i < kPauseLength; ++i) base::pause_core();
    } else {
      std::this_thread::yield();
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kPauseLength = 16;  // about a cache miss or two
  static constexpr std::uint32_t kPauses = 40;
  static constexpr std::uint32_t kYields = 40;

  bool crowded_;
  std::uint32_t waits_ = 0;
};

}  // namespace jackdaw::mark
