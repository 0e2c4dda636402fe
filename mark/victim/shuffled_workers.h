// ShuffledWorkers: draws workers in random order, each once, and shuffles only as far as they are drawn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "mark/random_numbers.h"

namespace jackdaw::mark {

/// A deck of workers, or of those numbered below some limit. After start(), draw() returns one that was not
/// drawn yet, each with equal probability.
class ShuffledWorkers {
 public:
  /// Adds a worker. To be called before the first start().
  void add(std::uint32_t worker) {
    workers_.push_back(worker);
    size_ = workers_.size();
  }
  /// Restricts draws to workers numbered below `limit`. To be called before start(). O(all workers), but O(1)
  /// when the limit is unchanged.
  void limit(std::uint32_t limit) {
    if (limit == std::exchange(limit_, limit)) return;
    const auto end = std::partition(workers_.begin(), workers_.end(),
                                    [limit](std::uint32_t worker) { return worker < limit; });
    size_ = static_cast<std::size_t>(end - workers_.begin());
    drawn_ = 0;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool all_drawn() const { return drawn_ == size_; }

  void start() { drawn_ = 0; }

  /// Draws one of those that are left, at least one. O(1): one step of Fisher and Yates's shuffle.
  std::uint32_t draw(RandomNumbers& random) {
    const auto left = static_cast<std::uint32_t>(size_ - drawn_);
    std::swap(workers_[drawn_], workers_[drawn_ + random.below(left)]);
    return workers_[drawn_++];
  }

  /// Returns any worker, drawn or not; there must be one. O(1).
  std::uint32_t any(RandomNumbers& random) const {
    return workers_[random.below(static_cast<std::uint32_t>(size_))];
  }

 private:
  std::vector<std::uint32_t> workers_;  // those below the limit first
  std::size_t size_ = 0;                // the number of those below the limit
  std::size_t drawn_ = 0;
  std::uint32_t limit_ = std::numeric_limits<std::uint32_t>::max();
};

}  // namespace jackdaw::mark
