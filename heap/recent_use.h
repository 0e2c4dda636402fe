// RecentUse: how much of the heap was in use when the last sweeps began, whatever they found live.
//
// A program whose live data swings needs soon again what a collection found free. Memory that was in use when
// one of the last sweeps began is kept, so that it is neither given back to the system and
// faulted in again nor taken out of the next budgets. After that many collections it goes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace jackdaw::heap {

/// One thread at a time.
class RecentUse {
 public:
  /// The collections that count. libgc gives memory back that was free in six.
  static constexpr std::size_t kCollections = 3;

  /// A sweep begins while `bytes` bytes are in use.
  void note(std::uint64_t bytes) {
    std::shift_right(bytes_.begin(), bytes_.end(), 1);
    bytes_.front() = bytes;
  }
  /// The most bytes that were in use when one of the last sweeps began.
  [[nodiscard]] std::uint64_t most() const { return *std::ranges::max_element(bytes_); }

 private:
  std::array<std::uint64_t, kCollections> bytes_{};  // the newest first
};

}  // namespace jackdaw::heap
