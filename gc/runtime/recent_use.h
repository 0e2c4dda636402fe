// RecentUse: how much of the heap was in use when the last sweeps began, whatever they found live.
//
// A program whose live data swings soon needs again what a collection found free. So memory that was in use
// when one of the last sweeps began is kept: it is not returned to the system and faulted in again, nor
// subtracted from the next budgets. After kCollections collections it goes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace jackdaw::gc {

/// One thread at a time.
class RecentUse {
 public:
  /// The number of collections that count. libgc returns memory that was free in six.
  static constexpr std::size_t kCollections = 3;

  /// Notes that a sweep begins while `bytes` bytes are in use.
  void note(std::uint64_t bytes) {
    std::shift_right(bytes_.begin(), bytes_.end(), 1);
    bytes_.front() = bytes;
  }
  /// Returns the most bytes that were in use when one of the last sweeps began.
  [[nodiscard]] std::uint64_t most() const { return *std::ranges::max_element(bytes_); }

 private:
  std::array<std::uint64_t, kCollections> bytes_{};  // the newest first
};

}  // namespace jackdaw::gc
