// Every queue that `jackdaw queue` can measure, by name, each with its own copy of the loops.
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
  bool serves_thieves;  ///< false: an owner's alone, for measure_alone only
  bool is_fifo;         ///< what the owner gets first is what it put first

  /// Whether such a queue can be made with the sizes.
  bool (*fits)(const QueueShape& shape);
  /// The owner alone, on the calling thread. Throws std::bad_alloc.
  QueueMeasurement (*measure_alone)(const QueueLoad& load);
  /// With one thief. `threads` has at least two; the caller is the owner. Throws std::bad_alloc.
  QueueMeasurement (*measure_with_thief)(mark::ThreadPool& threads, const QueueLoad& load);
  /// All threads of `threads`, at least two, are workers; the caller is one of them. Throws std::bad_alloc.
  QueueMeasurement (*measure_pool)(mark::ThreadPool& threads, const QueueLoad& load);
};

/// All of them: ours, then the peers.
std::span<const QueueRunner> queue_runners();

/// The upper bound of an owner with a thief: no queue, and so none of queue_runners(). It cannot be measured
/// alone or in a pool.
const QueueRunner& bound_with_thief();

/// The one of that name among queue_runners(), or null.
const QueueRunner* find_queue_runner(std::string_view name);

/// The queue of one thread alone that bounds queues of an order from above.
const QueueRunner& sequential_bound(bool is_fifo);

}  // namespace jackdaw::bench
