#include "bench/mark/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>

#include "bench/heap/marking_swap.h"
#include "mark/statistics.h"
#include "tools/command/median.h"
#include "tools/command/progress.h"

namespace jackdaw::bench {

namespace {

std::uint64_t held_tasks(const std::vector<mark::WorkerStatistics>& workers) {
  std::uint64_t sum = 0;
  for (const mark::WorkerStatistics& worker : workers) sum += worker.held_peak;
  return sum;
}

// A timed engine with its measurements so far.
class Series {
 public:
  explicit Series(const gc::MarkingOptions& options) : engine_(options.make(options)) {
    runs_.workers = engine_->marker().worker_count();
  }

  std::unique_ptr<gc::MarkEngine>& engine() { return engine_; }

  void add(const gc::CollectionResult& result) {
    const mark::WorkerStatistics sum = mark::total(result.workers);
    runs_.wall_ms.push_back(std::chrono::duration<double, std::milli>(result.mark_time).count());
    attempts_.push_back(static_cast<double>(sum.steal_attempts));
    steals_.push_back(static_cast<double>(sum.steals));
    refused_.push_back(static_cast<double>(sum.victims_refused));
  }

  BoundsRuns summed_up() && {
    runs_.median_ms = tools::median_of(runs_.wall_ms);
    runs_.steal_attempts = tools::median_of(std::move(attempts_));
    runs_.steals = tools::median_of(std::move(steals_));
    runs_.victims_refused = tools::median_of(std::move(refused_));
    return std::move(runs_);
  }

 private:
  std::unique_ptr<gc::MarkEngine> engine_;
  BoundsRuns runs_;
  std::vector<double> attempts_;
  std::vector<double> steals_;
  std::vector<double> refused_;
};

class Measurement {
 public:
  Measurement(gc::Collector& collector, const BoundsOptions& options, const AfterEach& after_each)
      : swapped_(collector), options_(options), after_each_(after_each) {}

  // The numbers of workers take turns, so that disturbances affect all alike.
  std::vector<BoundsRuns> time_all() {
    tools::Progress progress("marking for the bounds of time");
    std::vector<Series> all;
    for (const std::uint32_t workers : worker_counts(options_.marking.engine.threads)) {
      all.emplace_back(marking_options(workers));
    }
    const std::uint32_t rounds = options_.warmup + options_.repeat;
    std::uint64_t done = 0;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      for (Series& series : all) {
        const gc::CollectionResult result = collect("time", series.engine());
        if (round >= options_.warmup) series.add(result);
        progress.step(++done, rounds * all.size());
      }
    }
    std::vector<BoundsRuns> runs;
    runs.reserve(all.size());
    for (Series& series : all) runs.push_back(std::move(series).summed_up());
    return runs;
  }

  // Counting takes time, so these runs are not timed.
  std::uint64_t most_held_tasks(std::uint32_t workers) {
    gc::MarkingOptions options = marking_options(workers);
    options.engine.tuning.count_visits = true;
    std::unique_ptr<gc::MarkEngine> engine = options.make(options);
    std::uint64_t most = 0;
    for (std::uint32_t i = 0; i < options_.repeat; ++i) {
      most = std::max(most, held_tasks(collect("space", engine).workers));
    }
    return most;
  }

 private:
  [[nodiscard]] gc::MarkingOptions marking_options(std::uint32_t workers) const {
    gc::MarkingOptions options = options_.marking;
    options.engine.threads = workers;
    options.engine.tuning.serial_references = 0;  // the theory's workers all begin at once
    return options;
  }

  gc::CollectionResult collect(std::string_view purpose, std::unique_ptr<gc::MarkEngine>& engine) {
    gc::CollectionResult result = swapped_.collect_with(engine);
    after_each_(fmt::format("for the bounds of {} with P = {}", purpose, result.workers.size()), result);
    return result;
  }

  MarkingSwap swapped_;
  const BoundsOptions& options_;
  const AfterEach& after_each_;
};

}  // namespace

std::vector<std::uint32_t> worker_counts(std::uint32_t most) {
  std::vector<std::uint32_t> counts;
  for (std::uint32_t count = 1; count < most; count *= 2) counts.push_back(count);
  counts.push_back(most);
  return counts;
}

std::optional<BoundsFit> fit_span_factor(const Bounds& bounds) {
  const double unit = bounds.span_ms();
  const auto several = std::span(bounds.runs).subspan(1);
  if (several.empty() || unit == 0) return std::nullopt;
  // The fitted term, c·T∞, is the same for every P, so least squares give the mean.
  const auto count = static_cast<double>(several.size());
  BoundsFit fit;
  fit.exact = several.size() == 1;
  for (const BoundsRuns& runs : several) fit.c += (runs.median_ms - bounds.share_ms(runs)) / unit / count;
  double squares = 0;
  for (const BoundsRuns& runs : several) {
    const double left_over = runs.median_ms - bounds.share_ms(runs) - fit.c * unit;
    squares += left_over * left_over;
  }
  if (!fit.exact) fit.residual_ms = std::sqrt(squares / count);
  return fit;
}

Bounds measure_bounds(gc::Collector& collector, std::span<heap::Object* const> roots,
                      const BoundsOptions& options, const AfterEach& after_each) {
  Bounds bounds;
  bounds.tasks = work_and_span(roots);
  Measurement measurement(collector, options, after_each);
  bounds.runs = measurement.time_all();
  for (BoundsRuns& runs : bounds.runs) runs.most_held_tasks = measurement.most_held_tasks(runs.workers);
  bounds.fit = fit_span_factor(bounds);
  return bounds;
}

}  // namespace jackdaw::bench
