// QueueRunners: every queue that `jackdaw queue` can measure, by name, each with its own copy of the loops.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bench/queue/queue_measurement.h"
#include "mark/thread_pool.h"

namespace jackdaw::bench {

/// One queue's measurements, as functions, so that no other file needs the queue's type.
struct QueueRunner {
  std::string_view name;
  bool serves_thieves;  ///< false: for an owner alone, and measure_alone only
  bool is_fifo;         ///< the owner gets first what it put first

  /// Whether such a queue can be made with the sizes.
  bool (*fits)(const QueueShape& shape);
  /// Measures the owner alone, on the calling thread. Throws std::bad_alloc.
  QueueMeasurement (*measure_alone)(const QueueLoad& load);
  /// Measures with one thief. `threads` has at least two; the caller is the owner. Throws std::bad_alloc.
  QueueMeasurement (*measure_with_thief)(mark::ThreadPool& threads, const QueueLoad& load);
  /// Measures with all threads of `threads`, at least two, as workers; the caller is one. Throws
  /// std::bad_alloc.
  QueueMeasurement (*measure_pool)(mark::ThreadPool& threads, const QueueLoad& load);
};

/// Returns all runners: ours, then the peers.
std::span<const QueueRunner> queue_runners();

/// Returns the upper bound for an owner with a thief. It is no queue, so it is not among queue_runners() and
/// cannot be measured alone or in a pool.
const QueueRunner& bound_with_thief();

/// Returns the runner of that name, or null.
const QueueRunner* find_queue_runner(std::string_view name);

/// Returns the single-threaded queue that bounds queues of that order.
const QueueRunner& sequential_bound(bool is_fifo);

}  // namespace jackdaw::bench
