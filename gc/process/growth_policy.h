// GrowthPolicy: how much is allocated between two collections.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace jackdaw::gc {

/// A fraction of what the last collection found live, and something at least: more in a heap that is small,
/// but not so much more that what is allocated next has left the processor's cache long ago, where a
/// collection costs next to nothing.
struct GrowthPolicy {
  /// Up to this size a heap is only collected when minimum_budget_bytes were allocated for each thread, which
  /// the cache of a processor of its own may hold, and this many bytes for each that the last collection
  /// read.
  static constexpr std::uint64_t kSmallHeapBytes = std::uint64_t{24} << 20;
  static constexpr std::uint64_t kAllocatedForEachRead = 16;

  /// As programs for libgc know it (GC_set_free_space_divisor): greater values save memory and cost time. Not
  /// zero.
  std::uint64_t free_space_divisor = 3;
  /// At least so many bytes.
  std::uint64_t minimum_budget_bytes = std::uint64_t{8} << 20;
  /// The heap may always grow to so many bytes.
  std::uint64_t minimum_heap_bytes = std::uint64_t{8} << 20;
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

  /// What a collection found.
  struct Found {
    std::uint64_t live_bytes = 0;
    std::uint64_t root_bytes = 0;  ///< that it searched
    std::uint32_t threads = 1;     ///< that ran until it stopped them, its own included
  };

  /// Bytes to allocate until the next collection.
  [[nodiscard]] std::uint64_t budget(const Found& found) const {
    if (!collects_by_itself) return std::numeric_limits<std::uint64_t>::max();
    const auto up_to = [&](std::uint64_t bytes) { return bytes - std::min(bytes, found.live_bytes); };
    const std::uint64_t counted = found.live_bytes - std::min(found.live_bytes, uncounted_bytes);
    const std::uint64_t for_reading = kAllocatedForEachRead * (found.live_bytes + found.root_bytes);
    const std::uint64_t while_small =
        std::min(up_to(kSmallHeapBytes), std::max(for_reading, minimum_budget_bytes * found.threads));
    // With the usual divisor half of what is live.
    return std::max(
        {minimum_budget_bytes, counted / free_space_divisor * 3 / 2, up_to(minimum_heap_bytes), while_small});
  }
  /// Bytes to allocate before the heap may grow for an allocation, when so many finalizers were registered
  /// since the last collection.
  [[nodiscard]] std::uint64_t growth_threshold(std::uint64_t new_finalizers) const {
    if (grows_only_when_it_must) return std::numeric_limits<std::uint64_t>::max();
    return new_finalizers * bytes_per_finalizer;
  }
};

}  // namespace jackdaw::gc
