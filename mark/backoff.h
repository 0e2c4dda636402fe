// Backoff: how a worker without tasks waits between two looks for some.
//
// Sources: Arora, Blumofe and Plaxton, "Thread Scheduling for Multiprogrammed Multiprocessors", SPAA 1998:
// when there are more threads than processors, a thief must yield between attempts, or the owner that it
// waits for may not run; Hassanein, ISMM 2016, for the order spin, yield, sleep.
#pragma once

#include <cstdint>
#include <thread>

#include "base/spin.h"

namespace jackdaw::mark {

/// Pauses for a while, then yields for a while. A policy, and one wait by it: copy the policy to begin a
/// wait. Cheap to copy, one thread's own.
class Backoff {
 public:
  /// `crowded`: there are more workers than processors. Then a waiting worker yields instead of pausing, so
  /// that the owners of tasks keep the processors.
  explicit constexpr Backoff(bool crowded = false) : crowded_(crowded) {}

  /// Waits a little. False, without waiting, when it is time to leave instead.
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
