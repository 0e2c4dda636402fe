// Random: the random numbers for generated graphs: xoshiro256** (Blackman and Vigna, "Scrambled linear
// pseudorandom number generators", 2018), seeded by splitmix64, and Lemire's unbiased draw below a bound
// ("Fast random integer generation in an interval", 2019).
//
// The standard library is not used because a graph must be the same on every machine, and its distributions
// differ between implementations. Invariant: the sequence depends only on the seed and the calls.
#pragma once

#include <array>
#include <cstdint>

namespace jackdaw::tools {

/// A deterministic generator of random numbers. Cheap to copy; not for secrets.
class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9e37'79b9'7f4a'7c15;
      word = mix(seed);
    }
  }

  /// Does the finishing step of splitmix64: a bijection on 64-bit words that spreads every bit over all.
  [[nodiscard]] static constexpr std::uint64_t mix(std::uint64_t word) {
    word = (word ^ (word >> 30)) * 0xbf58'476d'1ce4'e5b9;
    word = (word ^ (word >> 27)) * 0x94d0'49bb'1331'11eb;
    return word ^ (word >> 31);
  }

  /// Returns 64 uniform bits.
  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// Returns a uniform number from 0 to `bound` - 1; `bound` must not be 0. It draws again in the rare case
  /// in which a multiplication alone would favour some numbers.
  std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = (next() >> 32) * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t favoured = (0U - bound) % bound;
      while (static_cast<std::uint32_t>(product) < favoured) product = (next() >> 32) * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

 private:
  static constexpr std::uint64_t rotate(std::uint64_t word, int bits) {
    return (word << bits) | (word >> (64 - bits));
  }

  std::array<std::uint64_t, 4> state_{};
};

}  // namespace jackdaw::tools
