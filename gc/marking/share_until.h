// share_until(): has all mark threads work on numbered parts, in order, until there is enough.
//
// A stop of the program is limited in time, and so is the room for what it finds. How much work a part is
// shows only when it is done, so threads ask before each part whether to begin it.
#pragma once

#include <atomic>
#include <cstdint>

namespace jackdaw::gc {

/// Calls `work(part)` for the parts from 0 on, below `parts`, on the threads of `marker`
/// (mark::MarkerBase::share_with_all), until `is_enough()` is true, which is asked before each part but the
/// first. Returns how many parts, from the first on, are done; of later ones some may be done, too.
template <typename Marker, typename IsEnough, typename Work>
std::uint32_t share_until(Marker&& marker, std::uint32_t parts, IsEnough is_enough, Work work) {
  // Relaxed, all: a thread begins no part behind the end that it saw or set, and all threads are done when
  // the result is read.
  std::atomic<std::uint32_t> end{parts};
  const auto work_or_end = [&](std::uint32_t part) {
    std::uint32_t before = end.load(std::memory_order_relaxed);
    if (part >= before) return;
    if (part == 0 || !is_enough()) return work(part);
    while (part < before && !end.compare_exchange_weak(before, part, std::memory_order_relaxed)) continue;
  };
  marker.share_with_all(work_or_end, parts);
  return end.load(std::memory_order_relaxed);
}

}  // namespace jackdaw::gc
