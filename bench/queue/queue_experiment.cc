#include "bench/queue/queue_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "bench/queue/queue_calibration.h"
#include "bench/queue/queue_runners.h"
#include "mark/thread_pool.h"
#include "tools/command/input_error.h"
#include "tools/command/median.h"
#include "tools/command/memory_limit.h"
#include "tools/command/progress.h"

namespace jackdaw::bench {

namespace {

// A probe of the calibration is the median of three measurements, each this many times shorter than a full
// one. A single one may contain an interruption of either thread.
constexpr int kProbesPerMeasurement = 40;
constexpr int kMeasurementsPerProbe = 3;

bool can_take_part(const QueueRunner& runner, const QueueExperimentOptions& options) {
  return runner.fits(options.shape) &&
         (runner.serves_thieves || options.experiment == QueueExperiment::single);
}

// Returns the queue of that name. Throws InputError when it cannot take part.
const QueueRunner& asked_for(const std::string& name, const QueueExperimentOptions& options) {
  const QueueRunner* const runner = find_queue_runner(name);
  if (runner == nullptr) throw tools::InputError(fmt::format("--queue {}: there is no such queue", name));
  if (!runner->fits(options.shape)) {
    throw tools::InputError(fmt::format("--queue {}: cannot be made with {} blocks of {} tasks", name,
                                        options.shape.blocks, options.shape.block_size));
  }
  if (!can_take_part(*runner, options)) {
    throw tools::InputError(
        fmt::format("--queue {}: serves no thieves; only 'jackdaw queue single' measures it", name));
  }
  return *runner;
}

std::vector<const QueueRunner*> queues_of(const QueueExperimentOptions& options) {
  std::vector<const QueueRunner*> queues;
  for (const std::string& name : options.queues) queues.push_back(&asked_for(name, options));
  if (!queues.empty()) return queues;
  for (const QueueRunner& runner : queue_runners()) {
    if (can_take_part(runner, options)) queues.push_back(&runner);
  }
  return queues;
}

void check_memory(const QueueExperimentOptions& options) {
  const std::uint64_t queues = options.experiment == QueueExperiment::pool ? options.threads : 1;
  // A queue may need room for twice its tasks while it grows.
  const std::uint64_t limit = tools::available_memory_bytes() / (2 * sizeof(std::uint64_t));
  if (options.shape.capacity() > limit / queues) {
    throw tools::InputError(fmt::format(
        "--blocks {} --block-size {}: {} of them do not fit in the {} that are free", options.shape.blocks,
        options.shape.block_size, queues, tools::describe_bytes(tools::available_memory_bytes())));
  }
}

// One queue at one setting, measured once in each pass.
class Point {
 public:
  Point(const QueueRunner& runner, const QueueLoad& load, QueueResult result)
      : runner_(runner), load_(load), result_(std::move(result)) {
    result_.queue = runner.name;
    result_.victim = load.victim;
  }

  // Finds the pace for the wanted percentage.
  void calibrate(mark::ThreadPool& threads) {
    if (!result_.steal_percent_wanted) return;
    QueueLoad probe = load_;
    probe.time /= kProbesPerMeasurement;
    load_.pace =
        calibrate_thief(*result_.steal_percent_wanted, load_.shape.capacity(), [&](const ThiefPace& pace) {
          probe.pace = pace;
          return steal_percent(threads, probe);
        });
    result_.pace = load_.pace;
  }

  void measure(mark::ThreadPool& threads) {
    const QueueMeasurement measurement = take(threads);
    result_.counts += measurement.counts;
    result_.threads = measurement.threads;
    result_.conserved = result_.conserved && measurement.conserved;
    result_.runs.push_back(measurement.ns_per_op());
  }

  // Computes the result when all passes are done.
  QueueResult finish() {
    result_.ns_per_op = tools::median_of(result_.runs);
    return std::move(result_);
  }

 private:
  double steal_percent(mark::ThreadPool& threads, const QueueLoad& probe) const {
    std::vector<double> percents(kMeasurementsPerProbe);
    for (double& percent : percents)
      percent = runner_.measure_with_thief(threads, probe).counts.steal_percent();
    return tools::median_of(std::move(percents));
  }

  QueueMeasurement take(mark::ThreadPool& threads) const {
    switch (result_.experiment) {
      case QueueExperiment::single:
        return runner_.measure_alone(load_);
      case QueueExperiment::thief:
        return runner_.measure_with_thief(threads, load_);
      case QueueExperiment::pool:
        return runner_.measure_pool(threads, load_);
    }
    throw std::logic_error("no such experiment");
  }

  const QueueRunner& runner_;
  QueueLoad load_;
  QueueResult result_;
};

// All settings of an experiment, in the order of the report.
class Plan {
 public:
  explicit Plan(const QueueExperimentOptions& options) : options_(options) {
    load_.shape = options.shape;
    load_.time = std::chrono::nanoseconds(static_cast<std::int64_t>(options.seconds * 1e9));
    load_.steal_batch = options.steal_batch;
    load_.seed = options.seed;
    const std::vector<const QueueRunner*> queues = queues_of(options);
    add_alone(sequential_bound(false));
    add_alone(sequential_bound(true));
    if (options.experiment == QueueExperiment::thief) add_with_thief(bound_with_thief());
    for (const QueueRunner* const queue : queues) add(*queue);
  }

  std::vector<Point> take_points() { return std::move(points_); }

 private:
  void add(const QueueRunner& queue) {
    if (options_.experiment == QueueExperiment::thief) return add_with_thief(queue);
    if (options_.experiment == QueueExperiment::pool) return add_pool(queue);
    // The bounds are in the plan already.
    if (queue.serves_thieves) add_alone(queue);
  }
  void add_alone(const QueueRunner& queue) { points_.emplace_back(queue, load_, QueueResult{}); }
  void add_with_thief(const QueueRunner& queue) {
    QueueResult result;
    result.experiment = QueueExperiment::thief;
    for (const double percent : options_.percents) {
      result.steal_percent_wanted = percent;
      points_.emplace_back(queue, load_, result);
    }
  }
  void add_pool(const QueueRunner& queue) {
    QueueResult result;
    result.experiment = QueueExperiment::pool;
    QueueLoad load = load_;
    for (const std::string& victim : options_.victims) {
      load.victim = victim;
      for (const double factor : options_.factors) {
        load.balancing_factor = factor;
        result.balancing_factor = factor;
        points_.emplace_back(queue, load, result);
      }
    }
  }

  const QueueExperimentOptions& options_;
  QueueLoad load_;
  std::vector<Point> points_;
};

// There are at least two threads, also for an owner alone: the C library's locks are cheaper in a process
// with one thread, which is not a queue's usual surrounding.
std::uint32_t threads_of(const QueueExperimentOptions& options) {
  return options.experiment == QueueExperiment::pool ? options.threads : 2;
}

template <typename Step>
void for_all(const char* what, std::uint32_t passes, std::vector<Point>& points, Step step) {
  tools::Progress progress(what);
  const std::uint64_t all = std::uint64_t{passes} * points.size();
  std::uint64_t done = 0;
  for (std::uint32_t pass = 0; pass < passes; ++pass) {
    for (Point& point : points) {
      step(point);
      progress.step(++done, all);
    }
  }
}

void relate_to_bounds(std::vector<QueueResult>& results) {
  for (QueueResult& result : results) {
    const QueueRunner* const runner = find_queue_runner(result.queue);
    const QueueRunner& bound = sequential_bound(runner != nullptr && runner->is_fifo);
    const auto found = std::ranges::find(results, bound.name, &QueueResult::queue);
    result.ratio_to_sequential = result.ns_per_op / found->ns_per_op;
  }
}

}  // namespace

std::string_view name_of(QueueExperiment experiment) {
  constexpr std::string_view kNames[] = {"single", "thief", "pool"};
  return kNames[static_cast<std::size_t>(experiment)];
}

std::vector<std::string> QueueReport::differences() const {
  std::vector<std::string> lines;
  for (const QueueResult& result : results) {
    if (result.conserved) continue;
    lines.push_back(fmt::format("{} in '{}': tasks were lost or doubled: {} put, {} got, {} stolen, {} left",
                                result.queue, name_of(result.experiment), result.counts.puts,
                                result.counts.gets, result.counts.steals, result.counts.left));
  }
  return lines;
}

QueueReport run_queue_experiment(const QueueExperimentOptions& options) {
  check_memory(options);
  std::vector<Point> points = Plan(options).take_points();
  mark::ThreadPool threads(threads_of(options));
  if (threads.size() < 2) throw tools::InputError("a second thread cannot be started");
  for_all("calibrating the thief", 1, points, [&](Point& point) { point.calibrate(threads); });
  for_all("measuring queues", options.repeat, points, [&](Point& point) { point.measure(threads); });
  QueueReport report{options, {}};
  for (Point& point : points) report.results.push_back(point.finish());
  relate_to_bounds(report.results);
  return report;
}

}  // namespace jackdaw::bench
