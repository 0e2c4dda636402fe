// GrowthPolicy: how much is allocated between two collections.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace jackdaw::gc {

/// A fraction of what the last collection found live, and something at least.
struct GrowthPolicy {
  /// As programs for libgc know it (GC_set_free_space_divisor): greater values save memory and cost time. Not
  /// zero.
  std::uint64_t free_space_divisor = 3;
  /// At least so many bytes.
  std::uint64_t minimum_budget_bytes = std::uint64_t{8} << 20;
  /// The heap may always grow to so many bytes.
  std::uint64_t minimum_heap_bytes = 0;
  /// What does not count among the live bytes.
  std::uint64_t uncounted_bytes = 0;

  /// Bytes to allocate until the next collection.
  [[nodiscard]] std::uint64_t budget(std::uint64_t live_bytes) const {
    const std::uint64_t counted = live_bytes - std::min(live_bytes, uncounted_bytes);
    const std::uint64_t up_to_minimum = minimum_heap_bytes - std::min(minimum_heap_bytes, live_bytes);
    // With the usual divisor three quarters of what is live.
    return std::max({minimum_budget_bytes, counted / free_space_divisor * 9 / 4, up_to_minimum});
  }
};

}  // namespace jackdaw::gc
