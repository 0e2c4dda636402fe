// Backoff: how a worker without tasks waits between two looks for some.
//
// Sources: Arora, Blumofe and Plaxton, "Thread Scheduling for Multiprogrammed Multiprocessors", SPAA 1998:
// when there are more threads than processors, a thief must yield between attempts, or the owner that it
// waits for may not run; Hassanein, ISMM 2016, for the order spin, yield, sleep.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <thread>
#include <utility>

#include "base/spin.h"

namespace jackdaw::mark {

/// The ways to wait.
enum class BackoffKind : std::uint8_t {
  sleep,        ///< pause for a while, then yield for a while, then sleep until called
  yield,        ///< give up the processor, to whoever wants it
  exponential,  ///< pause twice as long every time, up to some ten microseconds
  pause,        ///< pause for about the time of a cache miss or two
};

/// Their names; the first is the default.
inline constexpr std::array<std::pair<std::string_view, BackoffKind>, 4> kBackoffKinds{
    {{"sleep", BackoffKind::sleep},
     {"yield", BackoffKind::yield},
     {"exponential", BackoffKind::exponential},
     {"pause", BackoffKind::pause}}};

/// A policy, and one wait by it: copy the policy to begin a wait. Cheap to copy, one thread's own.
class Backoff {
 public:
  /// `crowded`: there are more workers than processors. Then whoever waits yields instead of pausing, so that
  /// the owners of tasks keep the processors.
  explicit constexpr Backoff(BackoffKind kind = BackoffKind::sleep, bool crowded = false)
      : kind_(kind), crowded_(crowded) {}

  /// Waits a little. False, without waiting, when it is time to sleep instead.
  bool wait() {
    switch (kind_) {
      case BackoffKind::sleep:
        return spin_then_yield();
      case BackoffKind::yield:
        std::this_thread::yield();
        return true;
      case BackoffKind::exponential:
        pause_or_yield(std::uint32_t{1} << (looks_ < kMaximumDoublings ? looks_++ : kMaximumDoublings));
        return true;
      case BackoffKind::pause:
        pause_or_yield(kPauses);
        return true;
    }
    return false;
  }

 private:
  static constexpr std::uint32_t kPauses = 16;
  static constexpr std::uint32_t kMaximumDoublings = 8;
  static constexpr std::uint32_t kSpins = 40;
  static constexpr std::uint32_t kYields = 40;

  bool spin_then_yield() {
    if (looks_ == kSpins + kYields) return false;
    if (looks_++ < kSpins) {
      pause_or_yield(kPauses);
    } else {
      std::this_thread::yield();
    }
    return true;
  }

  void pause_or_yield(std::uint32_t pauses) const {
    if (crowded_) {
      std::this_thread::yield();
      return;
    }
    for (std::uint32_t i = 0; i < pauses; ++i) base::pause_core();
  }

  BackoffKind kind_;
  bool crowded_;
  std::uint32_t looks_ = 0;
};

}  // namespace jackdaw::mark
