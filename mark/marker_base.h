// MarkerBase: the functions of a Marker that do not depend on the object model: workers and counts.
//
// A collector that does not know the type of its Marker uses this. The functions may be virtual, since each
// is called a few times in a collection.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mark/statistics.h"
#include "mark/thread_pool.h"

namespace jackdaw::mark {

/// The base of Marker. All functions may be called between two calls of Marker::mark() only.
class MarkerBase {
 public:
  MarkerBase() = default;
  virtual ~MarkerBase() = default;
  MarkerBase(const MarkerBase&) = delete;
  MarkerBase& operator=(const MarkerBase&) = delete;

  /// Limits the workers that take part to `workers`, at least one.
  virtual void set_most_workers(std::uint32_t workers) = 0;

  /// Announces that mark() will soon begin a new marking, so that helpers wake up meanwhile: as many as the
  /// last marking with helpers had work for, or as such a heap has where a trial of the team is due, and at
  /// least `least` if there are as many.
  virtual void wake_helpers(std::uint32_t least) = 0;
  void wake_helpers() { wake_helpers(0); }

  /// Calls part(0) to part(parts - 1), as work before marking, on this thread and the helpers that
  /// wake_helpers() woke, which stay awake. `part` must not throw.
  virtual void share(ThreadPool::Job part, std::uint32_t parts) = 0;
  /// Calls the parts as share() does, with all helpers for which there are processors; they sleep afterwards.
  virtual void share_with_all(ThreadPool::Job part, std::uint32_t parts) = 0;

  /// Returns the counts of the last mark(), one entry for each worker. If a collection calls it several
  /// times, add them up.
  [[nodiscard]] virtual std::span<const WorkerStatistics> statistics() const = 0;
  /// Returns how often a worker has stolen from each other one since the engine was made.
  [[nodiscard]] virtual std::span<const std::uint32_t> steals_by_victim(std::uint32_t worker) const = 0;
  /// Returns the number of workers, the caller of mark() included.
  [[nodiscard]] virtual std::uint32_t worker_count() const = 0;
  /// Returns the processor time of all helpers since they started.
  [[nodiscard]] virtual std::chrono::nanoseconds helpers_time() const = 0;
  /// Returns the bytes of all queues, and of the overflow lists at their peak in the last mark().
  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;
};

}  // namespace jackdaw::mark
