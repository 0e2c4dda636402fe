// CollectionCost: whether collections that stop a program come often and take much of its time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace jackdaw::gc {

/// One thread at a time.
class CollectionCost {
 public:
  using Duration = std::chrono::steady_clock::duration;

  /// The highest level.
  static constexpr std::uint32_t kMost = 16;

  /// Notes a collection that stopped the program for `pause`, after the program ran for `running`.
  // Collections further apart cost what their marking costs, by which budgets grow anyway. A single pause
  // moves the level by one step, as it may have waited for a processor.
  void note(Duration running, Duration pause) {
    constexpr std::chrono::milliseconds kSeldom{1};
    constexpr int kMuch = 16;  // a sixteenth of the time
    const bool is_costly = running < kSeldom && pause * kMuch > running + pause;
    level_ = is_costly ? std::min(level_ + 1, kMost) : level_ - std::min(level_, 1U);
  }
  /// Returns 0 while collections are rare or short, and up to kMost while they are frequent and long.
  [[nodiscard]] std::uint32_t level() const { return level_; }

 private:
  std::uint32_t level_ = 0;
};

}  // namespace jackdaw::gc
