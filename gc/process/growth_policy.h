// GrowthPolicy: how much is allocated between two collections.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "gc/process/collection_cost.h"

namespace jackdaw::gc {

/// The budget is a fraction of what the last collection read, and has a minimum, so that collecting stays a
/// small part of the time of a program with little live data.
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
  /// The heap grows for an allocation only after this number of bytes was allocated for each finalizer
  /// registered since the last collection; 0: finalizers do not count.
  std::uint64_t bytes_per_finalizer = 10'000;
  /// How many collections to try after the first before memory counts as exhausted.
  std::uint64_t more_collections_when_exhausted = 0;

  /// The findings of a collection.
  struct Found {
    std::uint64_t live_bytes = 0;
    std::uint64_t unscanned_bytes = 0;      ///< those of live_bytes in objects without references
    std::uint64_t root_bytes = 0;           ///< searched for roots
    std::uint64_t heap_bytes = 0;           ///< the heap's memory, as far as its room counts
    std::uint64_t new_uncounted_bytes = 0;  ///< new since then, and freed explicitly by the program
    std::uint64_t floating_bytes = 0;       ///< allocated during the marking, beside the live ones
    std::uint32_t threads = 1;              ///< allocated small objects at the same time
    std::uint32_t cost = 0;                 ///< of the last collections: CollectionCost::level()
    bool is_growing = false;                ///< nearly all that was allocated before it is live
  };

  /// Returns the bytes that the heap may always grow to.
  [[nodiscard]] std::uint64_t minimum_heap(const Found& found) const {
    constexpr std::uint64_t kSmall = std::uint64_t{4} << 20;
    const std::uint64_t least = std::min(minimum_heap_bytes, kSmall) + more_for_threads(found);
    return std::max(minimum_heap_bytes, least + more_for_cost(least, found));
  }
  /// Returns the bytes to allocate until the next collection: at least what found.heap_bytes has
  /// room for.
  [[nodiscard]] std::uint64_t budget(const Found& found) const {
    const std::uint64_t heap_bytes = std::max(minimum_heap(found), found.heap_bytes);
    const std::uint64_t used = found.live_bytes + found.floating_bytes;
    return std::max(budget_while_growing(found), heap_bytes - std::min(heap_bytes, used));
  }
  /// Returns the budget where the heap would have to grow.
  [[nodiscard]] std::uint64_t budget_while_growing(const Found& found) const {
    if (!collects_by_itself) return std::numeric_limits<std::uint64_t>::max();
    // With the usual divisor, scanned bytes count by two thirds, as in libgc, and unscanned ones by one
    // third. At least an eighth of the allocated bytes counts.
    constexpr std::uint64_t kMostUncounted = 7;
    const std::uint64_t scanned = found.live_bytes - std::min(found.live_bytes, found.unscanned_bytes);
    const std::uint64_t read = 2 * scanned + found.unscanned_bytes + found.root_bytes;
    const std::uint64_t least = std::min(minimum_budget_bytes, kMostCounted) + more_for_threads(found);
    const std::uint64_t counted =
        std::min(std::max(least, of_growing_heap(read / free_space_divisor, found)), kMostCounted);
    // Floating garbage gets room beside that, or each cycle would begin the earlier the more the last one
    // allocated: up to a quarter of the live bytes and twice the counted ones, or heap and cycles would make
    // each other grow. In a heap that is being built it is new data, and counts as allocated already.
    constexpr std::uint64_t kPartFloating = 4;
    const std::uint64_t uncounted = std::min(found.new_uncounted_bytes, kMostUncounted * counted);
    if (found.is_growing)
      return std::max(least, counted - std::min(counted, found.floating_bytes)) + uncounted;
    return counted + uncounted +
           std::min({found.floating_bytes, found.live_bytes / kPartFloating, 2 * counted});
  }
  /// Returns the bytes to allocate before the heap may grow for an allocation, when `new_finalizers` were
  /// registered since the last collection.
  [[nodiscard]] std::uint64_t growth_threshold(std::uint64_t new_finalizers) const {
    if (grows_only_when_it_must) return std::numeric_limits<std::uint64_t>::max();
    return new_finalizers * bytes_per_finalizer;
  }

 private:
  // Each further allocating thread adds half of the minimum budget, up to 1 MiB. Otherwise a program would be
  // stopped more often the more threads it has.
  [[nodiscard]] std::uint64_t more_for_threads(const Found& found) const {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 20;
    return (found.threads - std::min(found.threads, 1U)) * std::min(minimum_budget_bytes / 2, kMost);
  }

  // Where stops alone take much of the time of several threads, the least heap grows by up to a half and
  // three times what the threads add, so that there are fewer stops. With live data, marking takes that time.
  [[nodiscard]] std::uint64_t more_for_cost(std::uint64_t least, const Found& found) const {
    if (found.threads < 2) return 0;
    const std::uint64_t more = (least / 2 + 3 * more_for_threads(found)) * found.cost / CollectionCost::kMost;
    return more - std::min(more, 2 * found.live_bytes);
  }

  // Data that is being built may be dropped at any time, and then the heap is larger for nothing by all that
  // is allocated until the next collection. Two collections in place of one bound that, while nearly nothing
  // dies. A heap that takes long to mark has nearly its usual budget.
  [[nodiscard]] static std::uint64_t of_growing_heap(std::uint64_t budget, const Found& found) {
    constexpr std::uint64_t kInFull = std::uint64_t{24} << 20;
    constexpr std::uint64_t kMostLess = std::uint64_t{64} << 20;
    if (!found.is_growing || budget <= kInFull) return budget;
    return budget - std::min((budget - kInFull) / 2, kMostLess);
  }

  // This is more than any heap has, and small enough that sums of budgets do not overflow.
  static constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 56;
};

}  // namespace jackdaw::gc
