// LoopTimes: the times of the engine's mark loops on a heap when one worker marks in them.
//
// A worker beside others uses another loop than one alone (mark/mark_loop.h), sets marks by locked operations
// where others have marked, and prefetches marks that are far. The cost depends on the heap, as a processor
// does much of it while it waits for memory. So one worker marks the heap in each of these ways, by the
// engine's own code, with idle peers (lone_marker.h); cache-line transfers are not included.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "bench/heap/marking_swap.h"
#include "gc/marking/mark_engine.h"

namespace jackdaw::bench {

/// The loops of a worker beside others.
enum class MarkLoop : std::uint8_t {
  biased,  ///< marks are near, and set plainly: every region is biased
  shared,  ///< marks are near, and set by locked operations
  far,     ///< marks count as far, and are set by locked operations
};
inline constexpr std::size_t kMarkLoops = 3;

class LoopTimes {
 public:
  struct Samples {
    std::uint64_t count = 0;
    std::chrono::nanoseconds sum{};
  };

  /// Throws std::bad_alloc.
  LoopTimes();
  ~LoopTimes();
  LoopTimes(const LoopTimes&) = delete;
  LoopTimes& operator=(const LoopTimes&) = delete;

  /// Marks the collector's heap once in each loop. To be called repeatedly, in turn with what it is compared
  /// with, as a machine's speed changes from second to second.
  void run(MarkingSwap& lent, bool counts);

  /// Returns the least time of the runs that count, in nanoseconds.
  [[nodiscard]] double least_ns(MarkLoop loop) const { return least_ns_[static_cast<std::size_t>(loop)]; }
  /// Returns the mean sample in nanoseconds by which a worker finds its marks near (mark/mark_distance.h)
  /// when no other worker has marked; 0 without samples.
  [[nodiscard]] double mean_sample_ns() const;

 private:
  Samples samples_;
  std::array<std::unique_ptr<gc::MarkEngine>, kMarkLoops> engines_;
  std::array<double, kMarkLoops> least_ns_{};
};

}  // namespace jackdaw::bench
