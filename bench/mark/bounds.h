// Bounds: measures work, span, time, steals and space of one heap for several numbers of workers, beside the
// bounds of the theory. docs/command.md explains them.
//
// Source: Blumofe and Leiserson, "Scheduling Multithreaded Computations by Work Stealing", JACM 1999: §2
// (work, critical path, Theorem 1), §4 (Theorem 5, space) and §6 (Theorems 13 and 14, time and
// communication).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/heap/span.h"
#include "gc/marking/mark_engine.h"
#include "gc/runtime/collector.h"
#include "heap/object.h"

namespace jackdaw::bench {

/// Repeated markings of one heap by one number of workers.
struct BoundsRuns {
  std::uint32_t workers = 0;          ///< P, those that really ran
  std::vector<double> wall_ms;        ///< of each run: clearing marks, roots, marking
  double median_ms = 0;               ///< T_P: the median of them
  double steal_attempts = 0;          ///< of all workers; the median over the runs, like the next two
  double steals = 0;                  ///< attempts that got something
  double victims_refused = 0;         ///< looks at a victim that the policy refused before any attempt
  std::uint64_t most_held_tasks = 0;  ///< the sum of every worker's most tasks held at once; of the worst run
};

/// T_P = T1/P + c·T∞, fitted.
struct BoundsFit {
  double c = 0;            ///< dimensionless, as T∞ is taken at one worker's pace
  double residual_ms = 0;  ///< root mean square of the residuals over all P
  bool exact = false;      ///< with a single P, whose equation has no residual
};

struct Bounds {
  WorkAndSpan tasks;             ///< T1 and T∞
  std::vector<BoundsRuns> runs;  ///< one worker's first, then ascending up to the requested number
  std::optional<BoundsFit> fit;  ///< none with one worker only, or when nothing is reachable

  /// Returns T1, the time of one worker.
  [[nodiscard]] double one_worker_ms() const { return runs.front().median_ms; }
  /// Returns T1's time for each task; 0 when there is none.
  [[nodiscard]] double task_ms() const { return ratio(one_worker_ms(), static_cast<double>(tasks.work)); }
  /// Returns T1/T∞: the most workers that can be busy on average.
  [[nodiscard]] double parallelism() const {
    return ratio(static_cast<double>(tasks.work), static_cast<double>(tasks.span));
  }
  /// Returns T∞ at one worker's pace.
  [[nodiscard]] double span_ms() const { return static_cast<double>(tasks.span) * task_ms(); }
  /// Returns T1/P.
  [[nodiscard]] double share_ms(const BoundsRuns& of) const { return one_worker_ms() / of.workers; }
  /// Returns T1/P + T∞: no greedy schedule takes longer (Theorem 1).
  [[nodiscard]] double greedy_ms(const BoundsRuns& of) const { return share_ms(of) + span_ms(); }
  /// Returns T1/P + c·T∞ (Theorem 13). There must be a fit.
  [[nodiscard]] double fitted_ms(const BoundsRuns& of) const { return share_ms(of) + fit->c * span_ms(); }
  /// Returns P·T∞.
  [[nodiscard]] double workers_by_span(const BoundsRuns& of) const {
    return static_cast<double>(of.workers) * static_cast<double>(tasks.span);
  }
  /// Returns steal attempts ÷ (P·T∞), which the theory bounds by a constant.
  [[nodiscard]] double attempts_ratio(const BoundsRuns& of) const {
    return ratio(of.steal_attempts, workers_by_span(of));
  }
  /// Returns S1·P (Theorem 5), where S1 is the most tasks that one worker alone held.
  [[nodiscard]] std::uint64_t space_bound(const BoundsRuns& of) const {
    return runs.front().most_held_tasks * of.workers;
  }
  /// Returns tasks held ÷ (S1·P).
  [[nodiscard]] double space_ratio(const BoundsRuns& of) const {
    return ratio(static_cast<double>(of.most_held_tasks), static_cast<double>(space_bound(of)));
  }

 private:
  static double ratio(double value, double of) { return of == 0 ? 0 : value / of; }
};

/// How each number of workers marks the heap.
struct BoundsOptions {
  gc::MarkingOptions marking;  ///< its number of threads is the largest P
  std::uint32_t repeat = 1;    ///< measured runs of each P, at least 1
  std::uint32_t warmup = 0;    ///< runs before them
};

/// Returns one and all powers of two up to `most`, and `most` itself, ascending.
std::vector<std::uint32_t> worker_counts(std::uint32_t most);

/// Fits c by least squares over all runs but the first, which is one worker's. Nothing when there is no
/// other, or no task.
std::optional<BoundsFit> fit_span_factor(const Bounds& bounds);

/// Called after every collection, warm-ups included, outside the measured time, with the collection's name.
using AfterEach = std::function<void(const std::string& which, const gc::CollectionResult& result)>;

/// Marks what `roots` reach, which must be what the collector's roots reach, with each number of workers in
/// turn, timed; then once more, as often, to count the tasks held. The collector keeps its engine. No other
/// thread may use the collector meanwhile. Throws std::invalid_argument for options that make no engine, and
/// std::bad_alloc.
Bounds measure_bounds(gc::Collector& collector, std::span<heap::Object* const> roots,
                      const BoundsOptions& options, const AfterEach& after_each);

}  // namespace jackdaw::bench
