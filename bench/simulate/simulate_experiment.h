// The experiment of `jackdaw simulate`: a heap graph is marked by one thread, recorded, and marked again in
// simulation by any number of workers; and, for validation, by real threads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/simulate/costs.h"
#include "bench/simulate/simulation.h"

namespace jackdaw::bench {

/// The user's options.
struct SimulateOptions {
  std::string graph;  ///< a specification, see graph_spec.h
  std::vector<std::uint32_t> workers{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};  ///< any order
  std::uint32_t nodes = 1;                                                          ///< memory nodes
  std::vector<std::string> queues;   ///< of simulated_queue_names(); at least one
  std::vector<std::string> victims;  ///< names of policies; at least one
  std::size_t steal_batch = 1;
  std::uint64_t seed = 1;
  std::uint64_t object_bytes = 48;
  std::uint32_t repeat = 15;  ///< real runs of each kind
  bool validate = false;      ///< whether to run real threads, too
  /// Costs that are given instead of measured.
  std::array<std::optional<double>, kMachineCosts.size()> given{};
};

/// The prediction for one queue and policy.
struct Prediction {
  std::uint32_t workers = 1;
  SimulationResult result;
  double speed_up = 1;  ///< one worker's time with the same queue ÷ this
  [[nodiscard]] double efficiency() const { return speed_up / workers; }
  [[nodiscard]] double ms() const { return result.time / 1e6; }
};

struct SimulatedSeries {
  std::string queue;
  std::string victim;
  std::vector<Prediction> predictions;  ///< by number of workers, ascending
  /// The number from which more workers do not pay: see stops_scaling_at.
  std::uint32_t stops_at = 1;
};

/// Real runs beside a prediction.
struct Validation {
  std::string queue;
  std::string victim;
  std::uint32_t threads = 1;
  std::vector<double> wall_ms;  ///< of each run
  double measured_ms = 0;       ///< the least of them, as interference only adds
  double predicted_ms = 0;
  double measured_steal_percent = 0;  ///< median
  double predicted_steal_percent = 0;

  /// Returns 100 × (predicted - measured) ÷ measured.
  [[nodiscard]] double error_percent() const { return 100 * (predicted_ms - measured_ms) / measured_ms; }
};

struct SimulateReport {
  SimulateOptions options;
  std::uint64_t tasks = 0;
  std::uint64_t references = 0;
  std::uint64_t span = 0;    ///< in tasks, see span.h
  double one_worker_ms = 0;  ///< measured with the default queue: the least of the runs that do not validate
  MachineCosts machine;
  VisitCosts visits;
  std::vector<std::pair<std::string, QueueCosts>> queue_costs;  ///< by name of the queues asked for
  std::vector<SimulatedSeries> series;
  std::vector<Validation> validations;  ///< when asked for
};

/// A doubling of workers pays when it saves this part of the time.
inline constexpr double kWorthADoubling = 0.1;

/// Returns the first number of workers after which the next one in the list saves less than kWorthADoubling
/// of the time for each doubling, or the last one. `predictions` is not empty, and ascending.
std::uint32_t stops_scaling_at(const std::vector<Prediction>& predictions);

/// Builds the graph, measures, and simulates. Throws InputError for wrong input, and for a graph that does
/// not fit in memory.
SimulateReport run_simulate_experiment(const SimulateOptions& options);

}  // namespace jackdaw::bench
