// HugePages: whether the next part of a heap asks for a huge page.
//
// They make marking a large heap faster, and taking memory, too: unless a virtual machine has given its free
// memory back to its host, which it does in such pieces. Then each of them takes milliseconds to come back,
// where small pages are mostly there. So first writes to huge pages are timed, and after a slow one some
// parts of the heap go without, twice as many each time, and half as many after a quick one.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace jackdaw::heap {

/// One thread at a time asks; any thread writes first.
class HugePages {
 public:
  static constexpr std::size_t kBytes = std::size_t{2} << 20;

  /// Whether the next kBytes ask for one.
  [[nodiscard]] bool are_wanted() {
    // Relaxed, here and in note: a hint.
    switch (last_.exchange(Last::unknown, std::memory_order_relaxed)) {
      case Last::quick:
        next_without_ = std::max(next_without_ / 2, 1U);
        break;
      case Last::slow:
        to_do_without_ = next_without_;
        next_without_ = std::min(2 * next_without_, kMostWithout);
        break;
      case Last::unknown:
        break;
    }
    if (to_do_without_ == 0) return true;
    --to_do_without_;
    return false;
  }
  /// Calls `write()`, which writes to one of them, probably first, and returns what that returns.
  template <typename Write>
  auto time(Write write) {
    const auto start = std::chrono::steady_clock::now();
    const auto result = write();
    note(std::chrono::steady_clock::now() - start);
    return result;
  }
  /// A write to one of them took so long.
  void note(std::chrono::steady_clock::duration taken) {
    if (taken >= kPresent) last_.store(taken < kLong ? Last::quick : Last::slow, std::memory_order_relaxed);
  }

 private:
  enum class Last : std::uint8_t { unknown, quick, slow };
  // To clear a page takes several times as long as a write to one that is there, and a tenth of the other.
  static constexpr std::chrono::microseconds kPresent{20};
  static constexpr std::chrono::microseconds kLong{1500};
  static constexpr std::uint32_t kMostWithout = 128;

  std::atomic<Last> last_{Last::unknown};
  std::uint32_t to_do_without_ = 0;  // pages
  std::uint32_t next_without_ = 1;
};

}  // namespace jackdaw::heap
