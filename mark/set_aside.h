// SetAside: references to objects that the worker may not mark yet, because another one holds the bias of
// their region and has to let it go first (mark/biased_regions.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "base/check.h"
#include "base/spin.h"

namespace jackdaw::mark {

/// One worker's.
template <typename Reference>
class SetAside {
 public:
  /// How many there is room for: before it sets more aside the worker waits.
  static constexpr std::size_t kLimit = 256;

  [[nodiscard]] bool is_empty() const { return count_ == 0; }
  [[nodiscard]] bool is_full() const { return count_ == kLimit; }
  /// While it is not full.
  void put(Reference reference) {
    JACKDAW_CHECK(!is_full());
    references_[count_++] = reference;
  }

  /// Tries each once more, and keeps those for which `mark(reference)` is false. Whether any got through.
  template <typename Mark>
  bool retry(Mark mark) {
    const std::size_t before = count_;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < before; ++i) {
      const Reference reference = references_[i];
      if (!mark(reference)) references_[kept++] = reference;
    }
    count_ = kept;
    return kept != before;
  }

  /// Between two tries in vain. The holder answers when it polls next, unless it lost its processor: so this
  /// worker now and then gives up its own.
  void pause() {
    constexpr std::uint32_t kPausesBeforeYield = 64;
    if (++pauses_ % kPausesBeforeYield == 0) {
      std::this_thread::yield();
    } else {
      base::pause_core();
    }
  }

 private:
  std::array<Reference, kLimit> references_;
  std::size_t count_ = 0;
  std::uint32_t pauses_ = 0;
};

}  // namespace jackdaw::mark
