// TakenMemoryNotes: what memory a heap took from the system lately, for a program that asked to be told.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>

#include "base/page_vector.h"

namespace jackdaw::heap {

/// Memory that was taken; or, without a start, that the system refused.
struct TakenMemory {
  std::byte* start;
  std::size_t bytes;
};

/// The heap's lock guards it, except where a function says otherwise.
class TakenMemoryNotes {
 public:
  /// Whether anything is noted from now on. Any thread.
  // Relaxed, all accesses: what is noted is read under the lock.
  void set_on(bool is_on) { is_on_.store(is_on, std::memory_order_relaxed); }
  /// Whether there are notes. Any thread.
  [[nodiscard]] bool has_any() const { return has_any_.load(std::memory_order_relaxed); }

  /// A note for which there is no memory is lost.
  void note(const TakenMemory& memory) {
    if (is_on_.load(std::memory_order_relaxed) && notes_.append(memory))
      has_any_.store(true, std::memory_order_relaxed);
  }
  /// Removes the oldest note and returns it; nothing when there is none.
  std::optional<TakenMemory> take() {
    if (taken_ == notes_.size()) return std::nullopt;
    const TakenMemory oldest = notes_[taken_++];
    if (taken_ == notes_.size()) {
      notes_.clear();
      taken_ = 0;
      has_any_.store(false, std::memory_order_relaxed);
    }
    return oldest;
  }

 private:
  std::atomic<bool> is_on_{false};
  std::atomic<bool> has_any_{false};
  base::PageVector<TakenMemory> notes_;
  std::size_t taken_ = 0;  // notes before this one are gone
};

}  // namespace jackdaw::heap
