// Stress: random delays and decisions, so that threads meet in orders that hardly ever come up otherwise
// (JACKDAW_STRESS).
//
// Each thread has its own stream of random numbers, which follows from the seed and from how many threads
// drew numbers before it: what a thread does by itself is the same in each run with one seed.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <ctime>

namespace jackdaw::base {

/// All functions may be called by any thread, also in a signal handler. When it is off, each costs a load and
/// a comparison.
class Stress {
 public:
  /// `seed` is not 0. To be called before other threads use this class.
  // Relaxed, everywhere here: these numbers publish nothing.
  static void turn_on(std::uint64_t seed) { seed_.store(seed, std::memory_order_relaxed); }
  [[nodiscard, gnu::always_inline]] static bool is_on() { return seed_.load(std::memory_order_relaxed) != 0; }

  /// Returns a number below `bound`, which is at least 1. Only while it is on.
  [[gnu::noinline]] static std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  /// Sometimes yields the processor or sleeps for up to a millisecond, if it is on.
  [[gnu::always_inline]] static void delay() {
    if (is_on()) [[unlikely]]
      delay_at_random();
  }

 private:
  [[gnu::noinline, gnu::cold]] static void delay_at_random() {
    constexpr std::uint64_t kLongest = 1'000'000;  // nanoseconds
    const std::uint64_t random = next();
    if (random % 16 == 0) {
      const timespec time{0, static_cast<long>(random / 16 % kLongest)};
      nanosleep(&time, nullptr);
    } else if (random % 4 == 0) {
      sched_yield();
    }
  }
  // This is Vigna's splitmix64, as in mark::RandomNumbers. A signal handler may draw the same number as the
  // code that it interrupted.
  static std::uint64_t next() {
    if (state_ == 0)
      state_ =
          seed_.load(std::memory_order_relaxed) + (threads_.fetch_add(1, std::memory_order_relaxed) << 32);
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  static inline constinit std::atomic<std::uint64_t> seed_{0};
  static inline constinit std::atomic<std::uint64_t> threads_{0};
  // The model avoids a call of the thread library at each access, which the stop signal's handler must not
  // make.
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local std::uint64_t state_ = 0;
};

}  // namespace jackdaw::base
