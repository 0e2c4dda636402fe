// DeferredReferences: references to objects that the worker may not mark yet, because another worker holds
// the bias of their region and has to give it up first (mark/biased_regions.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "base/check.h"
#include "base/spin.h"

namespace jackdaw::mark {

/// The deferred references of one worker, used by it alone.
template <typename Reference>
class DeferredReferences {
 public:
  /// The room for references. A worker that needs more waits until some could be marked.
  static constexpr std::size_t kLimit = 256;

  [[nodiscard]] bool is_empty() const { return count_ == 0; }
  [[nodiscard]] bool is_full() const { return count_ == kLimit; }
  /// Adds a reference, while it is not full.
  void put(Reference reference) {
    JACKDAW_CHECK(!is_full());
    references_[count_++] = reference;
  }

  /// Calls `mark(reference)` for each, and keeps those for which it is false. Returns whether any was marked.
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

  /// Waits between two tries in vain. The holder answers at its next poll, unless it lost its processor: so
  /// this worker yields its own now and then.
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
