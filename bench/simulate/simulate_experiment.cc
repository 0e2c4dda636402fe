#include "bench/simulate/simulate_experiment.h"
#include "bench/engines/engines.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <span>

#include "bench/heap/heap_graph.h"
#include "bench/heap/marking_swap.h"
#include "bench/heap/span.h"
#include "bench/mark/bounds.h"
#include "bench/simulate/calibration.h"
#include "bench/simulate/loop_times.h"
#include "bench/simulate/recording.h"
#include "gc/runtime/collector.h"
#include "machine/topology.h"
#include "machine/usable_processors.h"
#include "tools/command/median.h"
#include "tools/command/progress.h"
#include "tools/graph/graph_spec.h"

namespace jackdaw::bench {

namespace {

gc::CollectorOptions collector_options() {
  gc::CollectorOptions options;
  options.automatic = false;
  return options;
}

// The heap that is marked.
struct MarkedHeap {
  explicit MarkedHeap(const SimulateOptions& options) : collector(collector_options()) {
    tools::GraphOptions graph_options;
    graph_options.object_bytes = options.object_bytes;
    graph_options.seed = options.seed;
    graph = std::make_unique<HeapGraph>(tools::make_graph(options.graph, graph_options), collector);
  }

  gc::Collector collector;
  std::unique_ptr<HeapGraph> graph;
};

// An engine with its measured time.
class TimedEngine {
 public:
  TimedEngine(const SimulateOptions& options, std::string queue, std::string victim, std::uint32_t threads) {
    gc::MarkingOptions marking;
    marking.engine.threads = threads;
    marking.engine.seed = options.seed;
    marking.engine.tuning.steal_batch = options.steal_batch;
    engine_ = make_engine({queue, victim}, marking);
    outcome_.queue = std::move(queue);
    outcome_.victim = std::move(victim);
    outcome_.threads = engine_->marker().worker_count();
  }

  void run(MarkingSwap& lent, bool counts) {
    const gc::CollectionResult result = lent.collect_with(engine_);
    if (!counts) return;
    outcome_.wall_ms.push_back(std::chrono::duration<double, std::milli>(result.mark_time).count());
    stolen_.push_back(mark::total(result.workers).steal_percent());
  }

  Validation outcome() && {
    outcome_.measured_ms = std::ranges::min(outcome_.wall_ms);
    outcome_.measured_steal_percent = tools::median_of(std::move(stolen_));
    return std::move(outcome_);
  }

 private:
  std::unique_ptr<gc::MarkEngine> engine_;
  Validation outcome_;
  std::vector<double> stolen_;
};

std::vector<TimedEngine> engines_to_validate(const SimulateOptions& options) {
  std::vector<TimedEngine> engines;
  if (!options.validate) return engines;
  for (const std::string& queue : options.queues) {
    for (const std::string& victim : options.victims) {
      for (const std::uint32_t threads : worker_counts(machine::usable_processors()))
        engines.emplace_back(options, queue, victim, threads);
    }
  }
  return engines;
}

// The machine's costs, measured repeatedly, as its speed changes.
class Calibrations {
 public:
  void add() { all_.push_back(measure_machine_costs()); }
  // Returns the least of each cost, because the least of the markings that it explains counts, too.
  [[nodiscard]] MachineCosts least() const {
    MachineCosts least = all_.front();
    for (const MachineCosts& costs : all_) {
      for (const CostName& name : kMachineCosts)
        least.*(name.cost) = std::min(least.*(name.cost), costs.*(name.cost));
    }
    return least;
  }

 private:
  std::vector<MachineCosts> all_;
};

// Runs one worker, for its time, the loops of a worker beside others, and all that validates, in turn, with
// calibrations in between. The first run of each does not count. Returns how long clearing the marks takes.
double measure_runs(MarkedHeap& heap, const SimulateOptions& options, TimedEngine& one_worker,
                    std::vector<TimedEngine>& others, LoopTimes& loops, Calibrations& calibrations) {
  constexpr std::uint32_t kRoundsACalibration = 5;
  tools::Progress progress("marking");
  MarkingSwap lent(heap.collector);
  const std::uint64_t all = (options.repeat + 1) * (others.size() + 1);
  std::uint64_t done = 0;
  std::vector<double> clearing;
  for (std::uint32_t round = 0; round <= options.repeat; ++round) {
    if (round % kRoundsACalibration == 0) calibrations.add();
    one_worker.run(lent, round != 0);
    for (TimedEngine& other : others) {
      other.run(lent, round != 0);
      progress.step(++done, all);
    }
    loops.run(lent, round != 0);
    const auto start = std::chrono::steady_clock::now();
    heap.collector.heap().clear_marks();
    clearing.push_back(
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
    progress.step(++done, all);
  }
  return std::ranges::min(clearing);
}

// Distributes one worker's time over clearing, pushes and pops, and visits and references, which get equal
// shares; and the additional time of the other loops.
VisitCosts visit_costs(const Recording& recording, SimulationSetup setup, double one_worker,
                       const LoopTimes& loops) {
  setup.engine.threads = 1;
  const SimulationResult known = simulate(recording, setup);
  const auto tasks = static_cast<double>(recording.task_count());
  const auto references = static_cast<double>(std::max<std::uint64_t>(1, recording.reference_count()));
  const double biased = loops.least_ns(MarkLoop::biased);
  const double shared = loops.least_ns(MarkLoop::shared);
  // Where marks are far, every task goes through the queue.
  const double more_pushes = setup.queue_costs.push_pop * (tasks - static_cast<double>(known.pushes));
  VisitCosts visits = setup.visits;
  visits.task = visits.reference = std::max(0.0, one_worker - known.time) / (tasks + references);
  visits.beside = (biased - one_worker) / references;
  visits.beside_far = visits.beside + (loops.least_ns(MarkLoop::far) - shared - more_pushes) / references;
  visits.locked_mark =
      std::max(0.0, shared - biased) / static_cast<double>(std::max(1U, recording.mark_count()));
  visits.sample = loops.mean_sample_ns();
  return visits;
}

class Experiment {
 public:
  explicit Experiment(const SimulateOptions& options) { report_.options = options; }

  SimulateReport run() && {
    const SimulateOptions& options = report_.options;
    measure_queues();
    MarkedHeap heap(options);
    report_.span = work_and_span(heap.graph->roots()).span;
    const Recording recording(heap.graph->roots());
    report_.tasks = recording.task_count();
    report_.references = recording.reference_count();
    measure_marking(heap, recording);
    simulate_all(recording);
    tools::Progress progress("simulating the real runs");
    std::uint64_t done = 0;
    for (Validation& validation : report_.validations) {
      predict(recording, validation);
      progress.step(++done, report_.validations.size());
    }
    return std::move(report_);
  }

 private:
  void measure_queues() {
    tools::Progress progress("measuring queues");
    for (const std::string& queue : report_.options.queues)
      report_.queue_costs.emplace_back(queue, measure_queue_costs(queue));
  }

  // Replaces measured costs by given ones.
  void replace_given_costs() {
    for (std::size_t i = 0; i < kMachineCosts.size(); ++i) {
      double& cost = report_.machine.*(kMachineCosts[i].cost);
      cost = report_.options.given[i].value_or(cost);
    }
  }

  void measure_marking(MarkedHeap& heap, const Recording& recording) {
    const std::string queue(simulated_queue_names().front());
    const std::string victim(engine_victims().front());
    TimedEngine one_worker(report_.options, queue, victim, 1);
    std::vector<TimedEngine> others = engines_to_validate(report_.options);
    LoopTimes loops;
    Calibrations calibrations;
    report_.visits.before = measure_runs(heap, report_.options, one_worker, others, loops, calibrations);
    report_.machine = calibrations.least();
    replace_given_costs();
    report_.one_worker_ms = std::move(one_worker).outcome().measured_ms;
    for (TimedEngine& other : others) report_.validations.push_back(std::move(other).outcome());
    report_.visits.parts_before =
        std::max(1U, static_cast<std::uint32_t>(heap.collector.heap().chunk_count()));
    const SimulationSetup setup = setup_of(queue, victim, 1, 1);
    report_.visits = visit_costs(recording, setup, report_.one_worker_ms * 1e6, loops);
  }

  [[nodiscard]] QueueCosts costs_of(const std::string& queue) const {
    const auto found =
        std::ranges::find(report_.queue_costs, queue, &std::pair<std::string, QueueCosts>::first);
    return found == report_.queue_costs.end() ? measure_queue_costs(queue) : found->second;
  }

  [[nodiscard]] SimulationSetup setup_of(const std::string& queue, const std::string& victim,
                                         std::uint32_t workers, std::uint32_t nodes) const {
    SimulationSetup setup;
    setup.queue = queue;
    setup.victim = victim;
    setup.engine.threads = workers;
    setup.engine.seed = report_.options.seed;
    setup.engine.tuning.steal_batch = report_.options.steal_batch;
    // Neighbours are on one node, as in Topology::nodes_of_workers().
    for (std::uint64_t i = 0; i < workers; ++i)
      setup.engine.nodes.push_back(static_cast<std::uint32_t>(i * nodes / workers));
    setup.machine = report_.machine;
    setup.queue_costs = costs_of(queue);
    setup.visits = report_.visits;
    return setup;
  }

  void simulate_all(const Recording& recording) {
    tools::Progress progress("simulating");
    const SimulateOptions& options = report_.options;
    const std::uint64_t all = options.queues.size() * options.victims.size() * options.workers.size();
    std::uint64_t done = 0;
    for (const std::string& queue : options.queues) {
      const double alone = simulate(recording, setup_of(queue, "", 1, 1)).time;
      for (const std::string& victim : options.victims) {
        SimulatedSeries series{queue, victim, {}, 1};
        for (const std::uint32_t workers : options.workers) {
          Prediction prediction;
          prediction.workers = workers;
          prediction.result = simulate_repeated(recording, setup_of(queue, victim, workers, options.nodes));
          prediction.speed_up = alone / prediction.result.time;
          series.predictions.push_back(prediction);
          progress.step(++done, all);
        }
        std::ranges::sort(series.predictions, {}, &Prediction::workers);
        series.stops_at = stops_scaling_at(series.predictions);
        report_.series.push_back(std::move(series));
      }
    }
  }

  void predict(const Recording& recording, Validation& validation) const {
    const std::uint32_t nodes = machine::Topology::machine().node_count();
    const SimulationResult result = simulate_repeated(
        recording, setup_of(validation.queue, validation.victim, validation.threads, nodes));
    validation.predicted_ms = result.time / 1e6;
    validation.predicted_steal_percent = result.steal_percent();
  }

  SimulateReport report_;
};

}  // namespace

std::uint32_t stops_scaling_at(const std::vector<Prediction>& predictions) {
  for (std::size_t i = 0; i + 1 < predictions.size(); ++i) {
    const double doublings =
        std::log2(static_cast<double>(predictions[i + 1].workers) / predictions[i].workers);
    if (predictions[i + 1].result.time >
        predictions[i].result.time * std::pow(1 - kWorthADoubling, doublings))
      return predictions[i].workers;
  }
  return predictions.back().workers;
}

SimulateReport run_simulate_experiment(const SimulateOptions& options) { return Experiment(options).run(); }

}  // namespace jackdaw::bench
