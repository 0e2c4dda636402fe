// GrowthPolicy: how much is allocated between two collections.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace jackdaw::gc {

/// A share of what the last collection read, and something at least, so that collecting stays a small part of
/// a program with next to nothing live.
struct GrowthPolicy {
  /// libgc's divisor (GC_set_free_space_divisor): greater values save memory and cost time. Not zero.
  std::uint64_t free_space_divisor = 3;
  /// The least budget while one thread allocates, in bytes.
  std::uint64_t minimum_budget_bytes = std::uint64_t{2} << 20;
  /// The heap may always grow to this number of bytes while one thread allocates.
  std::uint64_t minimum_heap_bytes = std::uint64_t{4} << 20;
  /// Whether allocation collects at all before memory runs out.
  bool collects_by_itself = true;
  /// Whether there is a collection before each time that the heap grows for an allocation.
  bool grows_only_when_it_must = false;
  /// The heap grows for an allocation only when this number of bytes was allocated for each finalizer that
  /// was registered since the last collection; 0: finalizers do not count.
  std::uint64_t bytes_per_finalizer = 10'000;
  /// Collections to try beyond the first before memory counts as exhausted, as long as none finds any.
  std::uint64_t more_collections_when_exhausted = 0;

  /// The findings of a collection.
  struct Found {
    std::uint64_t live_bytes = 0;
    std::uint64_t unscanned_bytes = 0;      ///< of them, those of objects without references
    std::uint64_t root_bytes = 0;           ///< that it searched
    std::uint64_t heap_bytes = 0;           ///< that the heap took, and still has
    std::uint64_t new_uncounted_bytes = 0;  ///< that came since, and the program frees explicitly
    std::uint64_t floating_bytes = 0;       ///< beside the live ones: allocated in its marking, dead or not
    std::uint32_t threads = 1;              ///< that allocated small objects at the same time
  };

  /// How many bytes the heap may always grow to.
  [[nodiscard]] std::uint64_t minimum_heap(const Found& found) const {
    constexpr std::uint64_t kSmall = std::uint64_t{4} << 20;
    return std::max(minimum_heap_bytes, std::min(minimum_heap_bytes, kSmall) + more_for_threads(found));
  }
  /// Bytes to allocate until the next collection: what the heap has room for, or more.
  [[nodiscard]] std::uint64_t budget(const Found& found) const {
    const std::uint64_t heap_bytes = std::max(minimum_heap(found), found.heap_bytes);
    return std::max(budget_while_growing(found), heap_bytes - std::min(heap_bytes, found.live_bytes));
  }
  /// The budget where the heap would have to become larger.
  [[nodiscard]] std::uint64_t budget_while_growing(const Found& found) const {
    if (!collects_by_itself) return std::numeric_limits<std::uint64_t>::max();
    // With the usual divisor two thirds of what is live, as libgc reckons, but a third of what is not
    // scanned; and what is allocated counts by an eighth at least.
    constexpr std::uint64_t kMostUncounted = 7;
    const std::uint64_t scanned = found.live_bytes - std::min(found.live_bytes, found.unscanned_bytes);
    const std::uint64_t read = 2 * scanned + found.unscanned_bytes + found.root_bytes;
    const std::uint64_t least = std::min(minimum_budget_bytes, kMostCounted) + more_for_threads(found);
    const std::uint64_t counted = std::min(std::max(least, read / free_space_divisor), kMostCounted);
    // Floating garbage has a place beside that, or the next cycle would begin the earlier the more was
    // allocated in the last one. At most a quarter of what is live, and where memory is to be saved twice
    // what counts: else heap and cycles would make each other larger.
    constexpr std::uint64_t kPartFloating = 4;
    return counted + std::min(found.new_uncounted_bytes, kMostUncounted * counted) +
           std::min({found.floating_bytes, found.live_bytes / kPartFloating, 2 * counted});
  }
  /// Bytes to allocate before the heap may grow for an allocation, when `new_finalizers` were registered
  /// since the last collection.
  [[nodiscard]] std::uint64_t growth_threshold(std::uint64_t new_finalizers) const {
    if (grows_only_when_it_must) return std::numeric_limits<std::uint64_t>::max();
    return new_finalizers * bytes_per_finalizer;
  }

 private:
  // Each further thread that allocates adds half as much again as the least budget, and up to 3 MiB. Without
  // that a program would be stopped the more often the more threads it has.
  [[nodiscard]] std::uint64_t more_for_threads(const Found& found) const {
    constexpr std::uint64_t kMost = std::uint64_t{3} << 20;
    const std::uint64_t more = std::min(minimum_budget_bytes, kMost) * 3 / 2;
    return (found.threads - std::min(found.threads, 1U)) * std::min(more, kMost);
  }

  // More than any heap; so that sums of budgets do not overflow.
  static constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 56;
};

}  // namespace jackdaw::gc
