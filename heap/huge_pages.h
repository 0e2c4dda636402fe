// HugePages: whether the next part of a heap asks for a huge page.
//
// Huge pages make marking a large heap and taking memory faster, unless a virtual machine has returned its
// free memory to its host, which it does by huge pages: then each takes milliseconds to come back, while
// small pages are mostly present. So first writes to huge pages are timed. After a slow one some parts of the
// heap go without, twice as many each time, and half as many after a quick one.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace jackdaw::heap {

/// Says when parts of a heap ask for huge pages.
enum class HugePageUse : std::uint8_t {
  automatic,  ///< unless they are slow to come
  always,
  never,  ///< not even where the system gives them unasked
};

/// One thread at a time calls are_wanted(); any thread times writes.
class HugePages {
 public:
  static constexpr std::size_t kBytes = std::size_t{2} << 20;

  /// Must be called before other threads use the heap.
  void set_use(HugePageUse use) { use_ = use; }
  [[nodiscard]] bool are_allowed() const { return use_ != HugePageUse::never; }

  /// Whether the next kBytes of the heap ask for a huge page.
  [[nodiscard]] bool are_wanted() {
    if (use_ != HugePageUse::automatic) return use_ == HugePageUse::always;
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
  /// Times and returns `write()`, which is probably the first write to a huge page.
  template <typename Write>
  auto time(Write write) {
    const auto start = std::chrono::steady_clock::now();
    const auto result = write();
    note(std::chrono::steady_clock::now() - start);
    return result;
  }
  /// Notes how long a write to a huge page took.
  void note(std::chrono::steady_clock::duration taken) {
    if (taken >= kPresent) last_.store(taken < kLong ? Last::quick : Last::slow, std::memory_order_relaxed);
  }

 private:
  enum class Last : std::uint8_t { unknown, quick, slow };
  // A write that takes less than kPresent found the page present. One that takes less than kLong had the
  // guest clear a page; a longer one waited for the host.
  static constexpr std::chrono::microseconds kPresent{20};
  static constexpr std::chrono::microseconds kLong{1500};
  static constexpr std::uint32_t kMostWithout = 128;

  HugePageUse use_ = HugePageUse::automatic;
  std::atomic<Last> last_{Last::unknown};
  std::uint32_t to_do_without_ = 0;  // huge pages
  std::uint32_t next_without_ = 1;
};

}  // namespace jackdaw::heap
