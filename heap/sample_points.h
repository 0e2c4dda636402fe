// SamplePoints: which of the objects that an allocator gives out are samples of all.
//
// The bytes allocated are a line on which points lie at random, `every` bytes apart on average (a Poisson
// process). An object on which a point lies is a sample: one of b bytes with the probability 1 -
// e^(-b/every).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace jackdaw::heap {

/// The samples of one allocator. Its thread alone uses it.
class SamplePoints {
 public:
  /// Points of different seeds are independent; small numbers will do.
  explicit SamplePoints(std::uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15) {}

  /// Passes objects of `bytes` bytes up to a sample, `all` bytes at most, a multiple of that, and returns how
  /// many bytes it passed. Where these are not all, the next object is a sample, and was passed, too.
  std::uint64_t pass(std::uint64_t bytes, std::uint64_t all, std::uint64_t every) {
    // The distance to the next point does not depend on the last one, so a new mean begins at once.
    if (left_ == 0 || every != every_) draw(every);
    const std::uint64_t left = left_;
    left_ = all < left ? left - all : 0;
    return all < left ? all : (left - 1) / bytes * bytes;
  }

 private:
  // Steps through all 64-bit numbers (Knuth's MMIX), of which the high bits are random.
  void draw(std::uint64_t every) {
    constexpr std::uint64_t kSteps = std::uint64_t{1} << 32;
    random_ = random_ * 6364136223846793005 + 1442695040888963407;
    const double part = (static_cast<double>(random_ >> 32) + 0.5) / static_cast<double>(kSteps);
    constexpr double kMost = 0x1p62;
    left_ = 1 + static_cast<std::uint64_t>(std::min(-std::log(part) * static_cast<double>(every), kMost));
    every_ = every;
  }

  std::uint64_t random_;
  std::uint64_t every_ = 0;  // of the last draw
  std::uint64_t left_ = 0;   // bytes up to the next point and with it; 0: it is to be drawn
};

}  // namespace jackdaw::heap
