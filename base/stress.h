// Stress: delays and decisions at random, so that threads meet in orders that hardly ever come up
// (JACKDAW_STRESS).
//
// Each thread has a stream of random numbers of its own, which follows from the seed and from how many
// threads asked before it: what a thread does by itself is the same in each run with one seed.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <ctime>

namespace jackdaw::base {

/// Any thread, also in a signal handler. Off, each costs a load and a comparison.
class Stress {
 public:
  /// `seed`: not 0. Before other threads use what asks here.
  // Relaxed, all here: numbers that publish nothing.
  static void turn_on(std::uint64_t seed) { seed_.store(seed, std::memory_order_relaxed); }
  [[nodiscard, gnu::always_inline]] static bool is_on() { return seed_.load(std::memory_order_relaxed) != 0; }

  /// A number below `bound`, at least 1. While it is on.
  [[gnu::noinline]] static std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  /// Now and then, if it is on: gives the processor to others, or sleeps for up to a millisecond.
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
  // This is Vigna's splitmix64, as in mark::RandomNumbers. In a signal handler a number may come twice.
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
  // The model spares a call of the thread library at each access, which the stop signal's handler must not
  // make.
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local std::uint64_t state_ = 0;
};

}  // namespace jackdaw::base
