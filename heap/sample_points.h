// SamplePoints: which of the objects that an allocator gives out are samples of all.
//
// The bytes allocated are a line on which points lie at random, `every` bytes apart on average (a Poisson
// process). An object on which a point lies is a sample: one of b bytes with the probability 1 -
// e^(-b/every). Nothing here calls libm, of which a program would have 300 KiB resident for this alone, and
// whose code and tables would be cold at each sample.
#pragma once

#include <algorithm>
#include <cstdint>

namespace jackdaw::heap {

/// Returns how many objects of `bytes` bytes a sample of them stands for: 1 / (1 - e^(-bytes/every)), with a
/// relative error below 1e-10.
inline double objects_per_sample(std::uint64_t bytes, std::uint64_t every) {
  double distance = static_cast<double>(bytes) / static_cast<double>(every);
  if (distance > 64) return 1;  // to the last bit of a double
  int doublings = 0;
  for (; distance > 0.25; distance /= 2) ++doublings;
  const double square = distance * distance;
  // This is the series of Bernoulli's numbers; f(2x) = f(x)^2 / (2 f(x) - 1) takes it to larger distances.
  double objects = 1 / distance + 0.5 + distance * (1.0 / 12 - square * (1.0 / 720 - square / 30'240));
  for (; doublings != 0; --doublings) objects *= objects / (2 * objects - 1);
  return objects;
}

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

  /// Passes objects of `bytes` bytes in all if they are known to have no sample, and returns whether they
  /// are.
  bool pass_all(std::uint64_t bytes, std::uint64_t every) {
    if (!has_none_within(bytes, every)) return false;
    left_ -= bytes;
    return true;
  }

  /// Whether the next `bytes` bytes are known to have no sample.
  [[nodiscard]] bool has_none_within(std::uint64_t bytes, std::uint64_t every) const {
    return every == every_ && left_ > bytes;
  }

 private:
  // Steps through all 64-bit numbers (Knuth's MMIX), of which the high bits are random.
  std::uint32_t next_random() {
    random_ = random_ * 6364136223846793005 + 1442695040888963407;
    return static_cast<std::uint32_t>(random_ >> 32);
  }

  // Whether the falling run that begins with this number has an odd length: this has the probability
  // e^-(first / 2^32).
  bool is_falling_run_odd(std::uint32_t first) {
    bool is_odd = true;
    for (std::uint32_t last = first, next = next_random(); next < last; last = next, next = next_random())
      is_odd = !is_odd;
    return is_odd;
  }

  // Draws by comparisons alone (von Neumann 1951, "Various techniques used in connection with random
  // digits"): the fraction is the first number whose run is odd, and each number before it adds one.
  void draw(std::uint64_t every) {
    constexpr double kMost = 0x1p62;
    double distance = 0.5 / 0x1p32;
    std::uint32_t first = next_random();
    for (; !is_falling_run_odd(first); first = next_random()) ++distance;
    distance += static_cast<double>(first) / 0x1p32;
    left_ = 1 + static_cast<std::uint64_t>(std::min(distance * static_cast<double>(every), kMost));
    every_ = every;
  }

  std::uint64_t random_;
  std::uint64_t every_ = 0;  // of the last draw
  std::uint64_t left_ = 0;   // bytes up to the next point and with it; 0: it is to be drawn
};

}  // namespace jackdaw::heap
