// Random: a small generator of pseudo-random numbers, the same everywhere for the same seed.
#pragma once

#include <cstdint>

namespace jackdaw::soak {

/// A bijection of 64-bit numbers without pattern (the finalizer of SplitMix64).
constexpr std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9U;
  number = (number ^ number >> 27) * 0x94D049BB133111EBU;
  return number ^ number >> 31;
}

/// One thread's.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// Less than `bound`, which is not 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  /// True once in `times` times, at random.
  bool once_in(std::uint64_t times) { return below(times) == 0; }

 private:
  std::uint64_t next() { return mixed(state_ += 0x9E3779B97F4A7C15U); }

  std::uint64_t state_;
};

}  // namespace jackdaw::soak
