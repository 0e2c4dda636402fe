// The experiments of `jackdaw queue`: which measurements are taken, in what order, and their results.
//
// Measurements are interleaved: each pass goes over all queues and settings, so that disturbances are spread
// over all of them. The median over the passes is reported.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/queue/queue_measurement.h"

namespace jackdaw::bench {

/// One queue without thieves, one with a thief, or a pool of workers: BWoS §6.2.1, §6.2.2 and §6.2.3.
enum class QueueExperiment : std::uint8_t { single, thief, pool };

std::string_view name_of(QueueExperiment experiment);

/// The user's options.
struct QueueExperimentOptions {
  QueueExperiment experiment = QueueExperiment::single;
  std::vector<std::string> queues;                    ///< names; empty: all that can take part
  std::vector<std::string> victims;                   ///< pool: names
  std::vector<double> percents{0, 1, 5, 10, 20, 50};  ///< thief: wanted percentages of stolen tasks
  std::vector<double> factors{0, 10, 25, 50, 100};    ///< pool: balancing factors, in percent of the capacity
  std::uint32_t threads = 2;                          ///< pool: workers, at least 2
  QueueShape shape;
  std::size_t steal_batch = 1024;  ///< tasks that a thief takes at a time, at most
  std::uint32_t repeat = 5;        ///< passes
  double seconds = 0.5;            ///< measured, for each setting and pass
  std::uint64_t seed = 1;
};

/// One queue at one setting: its operations in all passes, and the results.
struct QueueResult {
  QueueExperiment experiment = QueueExperiment::single;
  std::string queue;
  std::string victim;                          ///< pool; else empty
  std::uint32_t threads = 1;                   ///< that really ran
  std::optional<double> steal_percent_wanted;  ///< thief
  std::optional<double> balancing_factor;      ///< pool
  ThiefPace pace;                              ///< thief: as calibrated
  QueueCounts counts;                          ///< sums over the passes
  std::vector<double> runs;                    ///< ns per operation of each pass
  double ns_per_op = 0;                        ///< their median
  double ratio_to_sequential = 0;  ///< ns_per_op ÷ that of the sequential queue of the same order, alone
  bool conserved = true;           ///< every task that was put came out once, in every pass

  [[nodiscard]] double ops_per_second() const { return 1e9 / ns_per_op; }
};

struct QueueReport {
  QueueExperimentOptions options;
  std::vector<QueueResult> results;  ///< the two sequential bounds first

  /// Returns one line for each result in which tasks were lost or doubled.
  [[nodiscard]] std::vector<std::string> differences() const;
};

/// Runs the measurements. Throws InputError for wrong input, and for queues that cannot take part.
QueueReport run_queue_experiment(const QueueExperimentOptions& options);

}  // namespace jackdaw::bench
