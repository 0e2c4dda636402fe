// ShuffledWorkers: some workers in random order, each once, without shuffling more of them than are asked
// for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "mark/random_numbers.h"

namespace jackdaw::mark {

/// A deck of workers, or of those of them that are numbered below some limit. After start(), draw() gives one
/// that was not drawn yet, each as likely as the next.
class ShuffledWorkers {
 public:
  /// To be called before the first start().
  void add(std::uint32_t worker) {
    workers_.push_back(worker);
    size_ = workers_.size();
  }
  /// From now on only workers numbered below `limit` are drawn. To be called before start(). O(all workers),
  /// but O(1) when the limit is as it was.
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

  /// There must be one left. O(1): one step of Fisher and Yates's shuffle.
  std::uint32_t draw(RandomNumbers& random) {
    const auto left = static_cast<std::uint32_t>(size_ - drawn_);
    std::swap(workers_[drawn_], workers_[drawn_ + random.below(left)]);
    return workers_[drawn_++];
  }

  /// Any of them, drawn or not; there must be one. O(1).
  std::uint32_t any(RandomNumbers& random) const {
    return workers_[random.below(static_cast<std::uint32_t>(size_))];
  }

 private:
  std::vector<std::uint32_t> workers_;  // those that may be drawn first
  std::size_t size_ = 0;                // of these
  std::size_t drawn_ = 0;
  std::uint32_t limit_ = std::numeric_limits<std::uint32_t>::max();
};

}  // namespace jackdaw::mark
