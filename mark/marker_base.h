// MarkerBase: what a Marker does whatever heap it marks: it looks after its workers, and counts.
//
// A collector that does not know the type of its Marker uses this. The functions may be virtual, since each
// is called a few times in a collection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mark/statistics.h"
#include "mark/thread_pool.h"

namespace jackdaw::mark {

/// The base of Marker. All between two calls of Marker::mark().
class MarkerBase {
 public:
  MarkerBase() = default;
  virtual ~MarkerBase() = default;
  MarkerBase(const MarkerBase&) = delete;
  MarkerBase& operator=(const MarkerBase&) = delete;

  /// From now on no more than `workers` workers take part, at least one.
  virtual void set_most_workers(std::uint32_t workers) = 0;

  /// Says that the next mark() is the first of a marking, and that it is not far: as many helpers as had a
  /// part in the last marking with helpers wake up meanwhile, where the team is to try, as many as such a
  /// heap has work for, and `least` at least, as far as there are that many.
  virtual void wake_helpers(std::uint32_t least) = 0;
  void wake_helpers() { wake_helpers(0); }

  /// Calls part(0) to part(parts - 1), for work before marking: shared with the helpers that wake_helpers()
  /// woke up, which stay awake. `part` must not throw.
  virtual void share(ThreadPool::Job part, std::uint32_t parts) = 0;
  /// As share(), with all helpers for which there are processors; they sleep afterwards.
  virtual void share_with_all(ThreadPool::Job part, std::uint32_t parts) = 0;

  /// The counts of the last mark(), one entry per worker. A collection that calls it several times adds them
  /// up.
  [[nodiscard]] virtual std::span<const WorkerStatistics> statistics() const = 0;
  /// How often a worker has stolen from each since the engine was made: what grew in a mark() are its steals.
  [[nodiscard]] virtual std::span<const std::uint32_t> steals_by_victim(std::uint32_t worker) const = 0;
  /// Workers, the caller of mark() included.
  [[nodiscard]] virtual std::uint32_t worker_count() const = 0;
  /// Bytes of all queues, and of the overflow lists at their peak in the last mark().
  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;
};

}  // namespace jackdaw::mark
