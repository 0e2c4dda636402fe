// Saturating arithmetic: sums and products of sizes that become UINT64_MAX instead of wrapping round.
//
// A size from an argument or a file can be anything. If it does not fit in 64 bits, every later comparison
// with a limit refuses UINT64_MAX; a wrapped one would pass for small.
#pragma once

#include <cstdint>
#include <limits>

namespace jackdaw::tools {

/// a + b, or UINT64_MAX where that does not fit.
[[nodiscard]] constexpr std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

/// a * b, or UINT64_MAX where that does not fit.
[[nodiscard]] constexpr std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}

/// Returns the least multiple of 8 that is not below `bytes`, as objects start at multiples of 8, or
/// UINT64_MAX where that does not fit.
[[nodiscard]] constexpr std::uint64_t round_up_to_8(std::uint64_t bytes) {
  const std::uint64_t padded = saturating_add(bytes, 7);
  return padded == std::numeric_limits<std::uint64_t>::max() ? padded : padded & ~std::uint64_t{7};
}

}  // namespace jackdaw::tools
