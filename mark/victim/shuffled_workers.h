// ShuffledWorkers: some workers in random order, each once, without shuffling more of them than are asked
// for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "mark/random_numbers.h"

namespace jackdaw::mark {

/// A deck of workers. After start(), draw() gives one that was not drawn yet, each as likely as the next.
class ShuffledWorkers {
 public:
  /// To be called before the first start().
  void add(std::uint32_t worker) { workers_.push_back(worker); }

  [[nodiscard]] std::size_t size() const { return workers_.size(); }
  [[nodiscard]] bool all_drawn() const { return drawn_ == workers_.size(); }

  void start() { drawn_ = 0; }

  /// There must be one left. O(1): one step of Fisher and Yates's shuffle.
  std::uint32_t draw(RandomNumbers& random) {
    const auto left = static_cast<std::uint32_t>(workers_.size() - drawn_);
    std::swap(workers_[drawn_], workers_[drawn_ + random.below(left)]);
    return workers_[drawn_++];
  }

  /// Any of them, drawn or not; there must be one. O(1).
  std::uint32_t any(RandomNumbers& random) const {
    return workers_[random.below(static_cast<std::uint32_t>(workers_.size()))];
  }

 private:
  std::vector<std::uint32_t> workers_;
  std::size_t drawn_ = 0;
};

}  // namespace jackdaw::mark
