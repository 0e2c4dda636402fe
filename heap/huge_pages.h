// HugePages: whether the next chunk of a heap asks for huge pages.
//
// They make marking a large heap faster, and taking memory, too: unless a virtual machine has given its free
// memory back to its host, which it does in such pieces. Then each of them takes milliseconds to come back,
// where small pages are mostly there. So the first page of each chunk is timed, and after a slow one some
// chunks go without, more of them each time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace jackdaw::heap {

/// One thread at a time uses it.
class HugePages {
 public:
  /// Whether a new chunk asks for them.
  [[nodiscard]] bool are_wanted() {
    if (to_do_without_ == 0) return true;
    --to_do_without_;
    return false;
  }
  /// The first page of a chunk that asked took so long. False: it came from elsewhere, and the chunk's others
  /// would, too.
  [[nodiscard]] bool note_first(std::chrono::steady_clock::duration taken) {
    if (taken < kLong) {
      next_without_ = 1;
      return true;
    }
    to_do_without_ = next_without_;
    next_without_ = std::min(2 * next_without_, kMostWithout);
    return false;
  }

 private:
  // To clear two mebibytes takes a tenth of it.
  static constexpr std::chrono::microseconds kLong{1500};
  static constexpr std::uint32_t kMostWithout = 16;

  std::uint32_t to_do_without_ = 0;  // chunks
  std::uint32_t next_without_ = 1;
};

}  // namespace jackdaw::heap
