// GrowthPolicy: how much is allocated between two collections.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace jackdaw::gc {

/// A fraction of what the last collection found live, and something at least.
struct GrowthPolicy {
  /// As programs for libgc know it (GC_set_free_space_divisor): greater values save memory and cost time. Not
  /// zero.
  std::uint64_t free_space_divisor = 3;
  /// At least so many bytes.
  std::uint64_t minimum_budget_bytes = std::uint64_t{8} << 20;
  /// The heap may always grow to so many bytes.
  std::uint64_t minimum_heap_bytes = std::uint64_t{24} << 20;
  /// What does not count among the live bytes.
  std::uint64_t uncounted_bytes = 0;
  /// Whether allocation collects at all before memory runs out.
  bool collects_by_itself = true;
  /// Whether there is a collection before each time that the heap grows for an allocation.
  bool grows_only_when_it_must = false;
  /// The heap grows for an allocation only when so many bytes were allocated for each finalizer that was
  /// registered since the last collection; 0: finalizers do not count.
  std::uint64_t bytes_per_finalizer = 10'000;
  /// Collections to try beyond the first before memory counts as exhausted.
  std::uint64_t more_collections_when_exhausted = 0;

  /// Bytes to allocate until the next collection.
  [[nodiscard]] std::uint64_t budget(std::uint64_t live_bytes) const {
    if (!collects_by_itself) return std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t counted = live_bytes - std::min(live_bytes, uncounted_bytes);
    const std::uint64_t up_to_minimum = minimum_heap_bytes - std::min(minimum_heap_bytes, live_bytes);
    // With the usual divisor half of what is live.
    return std::max({minimum_budget_bytes, counted / free_space_divisor * 3 / 2, up_to_minimum});
  }
  /// Bytes to allocate before the heap may grow for an allocation, when so many finalizers were registered
  /// since the last collection.
  [[nodiscard]] std::uint64_t growth_threshold(std::uint64_t new_finalizers) const {
    if (grows_only_when_it_must) return std::numeric_limits<std::uint64_t>::max();
    return new_finalizers * bytes_per_finalizer;
  }
};

}  // namespace jackdaw::gc
