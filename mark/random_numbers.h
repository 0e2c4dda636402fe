// RandomNumbers: a small, fast stream of random numbers for choosing victims, used by one thread.
//
// Source: Sebastiano Vigna's splitmix64: 64 bits of state, full period, good enough for choices and
// reproducible from a seed on every machine.
#pragma once

#include <cstdint>

namespace jackdaw::mark {

class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : state_(seed) {}

  /// Returns 64 uniformly random bits.
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// Returns a number from 0 to bound - 1, where bound is at least 1. Its bias is below bound / 2^32, too
  /// small to matter for choosing a victim.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace jackdaw::mark
