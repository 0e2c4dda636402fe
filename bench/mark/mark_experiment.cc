#include "bench/mark/mark_experiment.h"
#include "bench/engines/engines.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>

#include "bench/heap/heap_graph.h"
#include "bench/heap/marking_swap.h"
#include "bench/heap/serial_mark.h"
#include "bench/mark/marked_lines.h"
#include "tools/command/median.h"
#include "tools/command/named_values.h"
#include "tools/command/progress.h"
#include "tools/graph/graph_spec.h"

namespace jackdaw::bench {

namespace {

double milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

Run describe(gc::CollectionResult&& result) {
  Run run;
  const mark::WorkerStatistics sum = mark::total(result.workers);
  run.figures.wall_ms = milliseconds(result.mark_time);
  run.figures.collect_ms = milliseconds(result.collect_time);
  run.figures.objects_marked = sum.objects_marked;
  run.figures.references = sum.references_visited;
  run.figures.ns_per_object =
      sum.objects_marked == 0 ? 0 : run.figures.wall_ms * 1e6 / static_cast<double>(sum.objects_marked);
  run.figures.steal_percent = sum.steal_percent();
  run.workers = std::move(result.workers);
  return run;
}

// Returns the steals since the engine was made, in Run's format.
std::vector<std::uint32_t> steals_so_far(const gc::Collector& collector) {
  std::vector<std::uint32_t> steals;
  for (std::uint32_t thief = 0; thief < collector.mark_threads(); ++thief) {
    const auto by_victim = collector.steals_by_victim(thief);
    steals.insert(steals.end(), by_victim.begin(), by_victim.end());
  }
  return steals;
}

Run collect(gc::Collector& collector) {
  const std::vector<std::uint32_t> before = steals_so_far(collector);
  Run run = describe(collector.collect());
  run.steals_by_victim = steals_so_far(collector);
  std::ranges::transform(run.steals_by_victim, before, run.steals_by_victim.begin(), std::minus());
  return run;
}

// Returns a line if the run differs from the serial traversal in its marks or its counts.
std::optional<std::string> compare(const Run& run, const SerialMark& serial, heap::Heap& heap) {
  if (auto difference = serial.difference(heap)) return difference;
  if (run.figures.objects_marked != serial.objects() || run.figures.references != serial.references()) {
    return fmt::format("the workers counted {} objects and {} references; the serial traversal {} and {}",
                       run.figures.objects_marked, run.figures.references, serial.objects(),
                       serial.references());
  }
  return std::nullopt;
}

template <typename Projection>
double median_over(const std::vector<Run>& runs, Projection projection) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const Run& run : runs) values.push_back(static_cast<double>(projection(run.figures)));
  return tools::median_of(std::move(values));
}

RunFigures medians(const std::vector<Run>& runs) {
  const auto count = [&](auto projection) {
    return static_cast<std::uint64_t>(median_over(runs, projection));
  };
  RunFigures median;
  median.wall_ms = median_over(runs, [](const RunFigures& run) { return run.wall_ms; });
  median.collect_ms = median_over(runs, [](const RunFigures& run) { return run.collect_ms; });
  median.objects_marked = count([](const RunFigures& run) { return run.objects_marked; });
  median.references = count([](const RunFigures& run) { return run.references; });
  median.ns_per_object = median_over(runs, [](const RunFigures& run) { return run.ns_per_object; });
  median.steal_percent = median_over(runs, [](const RunFigures& run) { return run.steal_percent; });
  return median;
}

gc::CollectorOptions collector_options(const MarkExperimentOptions& options) {
  gc::CollectorOptions collector;
  collector.marking = options.marking;
  collector.memory = options.memory;
  collector.marking.engine.tuning.count_visits = gc::memory_nodes(options.memory).count() > 1;
  collector.automatic = false;
  return collector;
}

bool asks_for(const MarkExperimentOptions& options, BaselineKind kind) {
  return std::ranges::find(options.baselines, kind) != options.baselines.end();
}

// The heaps that the runs collect, without the graph that they were built from.
struct Heaps {
  explicit Heaps(const MarkExperimentOptions& options) : collector(collector_options(options)) {
    tools::GraphOptions graph_options;
    graph_options.object_bytes = options.object_bytes;
    graph_options.seed = options.marking.engine.seed;
    graph_options.heap_copies =
        1U + (asks_for(options, BaselineKind::boehm) ? 1 : 0) + (options.limit ? 1 : 0);
    const tools::Graph graph = tools::make_graph(options.graph, graph_options);
    objects = graph.node_count;
    order = graph.is_scattered ? ReadOrder::random : ReadOrder::stream;
    ours = std::make_unique<HeapGraph>(graph, collector);
    const gc::MarkingOptions marking = collector_options(options).marking;
    for (const BaselineKind kind : options.baselines)
      baselines.push_back(make_baseline(kind, graph, *ours, collector, marking, options.libgc_folder));
  }

  gc::Collector collector;
  std::uint64_t objects = 0;
  ReadOrder order = ReadOrder::stream;  // the order in which a marking visits objects
  std::unique_ptr<HeapGraph> ours;
  std::vector<std::unique_ptr<Baseline>> baselines;  // in the order of the options
};

// Memory to read beside the heap: as much as the objects' lines, on the same kind of pages, by as many
// threads as mark.
class LimitReader {
 public:
  // Collects first, so that the live objects are marked.
  LimitReader(Heaps& heaps, std::uint64_t seed)
      : LimitReader(lines_after_collection(heaps), heaps.order, seed, heaps.collector.mark_threads()) {}

  double read_ms() {
    return milliseconds(read_lines(memory_, limit_.order, limit_.lines, ++seed_, threads_));
  }
  [[nodiscard]] const ReadLimit& limit() const { return limit_; }

 private:
  static MarkedLines lines_after_collection(Heaps& heaps) {
    heaps.collector.collect();
    return count_marked_lines(heaps.collector.heap());
  }

  LimitReader(const MarkedLines& lines, ReadOrder order, std::uint64_t seed, std::uint32_t threads)
      : memory_(lines.distinct * kLineBytes, PageKind::huge), threads_(threads), seed_(seed) {
    limit_.order = order;
    limit_.lines = order == ReadOrder::random ? lines.visited : lines.distinct;
    limit_.bytes = memory_.bytes();
  }

  LineMemory memory_;
  mark::ThreadPool threads_;
  std::uint64_t seed_;
  ReadLimit limit_;
};

// The bounds that marking is compared with.
class Limits {
 public:
  // Collects first, so that the live objects are marked.
  Limits(Heaps& heaps, std::uint64_t seed)
      : lines_(heaps, seed),
        loop_(heaps.collector.heap().map(), PlainLoop::Objects::typed, roots_of(*heaps.ours)) {}

  [[nodiscard]] const ReadLimit& lines() const { return lines_.limit(); }
  // Runs both, and adds their times to the report unless it is a warm-up.
  void run(bool is_measured, MarkReport& report) {
    const double lines_ms = lines_.read_ms();
    const double loop_ms = loop_.run().count();
    // The lines are read once more, so that the next marking does not find what the loop left in the caches.
    lines_.read_ms();
    report.plain_loop->objects_marked = loop_.objects_marked();
    if (!is_measured) return;
    report.limit->wall_ms.push_back(lines_ms);
    report.plain_loop->wall_ms.push_back(loop_ms);
  }

 private:
  static std::vector<std::uintptr_t> roots_of(const HeapGraph& graph) {
    std::vector<std::uintptr_t> roots;
    for (const heap::Object* const root : graph.roots())
      roots.push_back(reinterpret_cast<std::uintptr_t>(root));
    return roots;
  }

  LimitReader lines_;
  PlainLoop loop_;
};

// Returns the traversal with which marks are compared, or null.
std::unique_ptr<SerialMark> reference_for(const MarkExperimentOptions& options, const Heaps& heaps) {
  return options.verify ? std::make_unique<SerialMark>(heaps.ours->roots()) : nullptr;
}

// Returns the baselines' results, to which the runs add their times.
std::vector<BaselineResult> results_to_come(const MarkExperimentOptions& options, const Heaps& heaps) {
  std::vector<BaselineResult> results;
  for (std::size_t i = 0; i < options.baselines.size(); ++i) {
    const Baseline& baseline = *heaps.baselines[i];
    const std::string name(tools::name_of(kBaselineKinds, options.baselines[i]));
    results.push_back({name, baseline.version(), baseline.phase(), baseline.threads(), {}});
  }
  return results;
}

// Notes a difference, if there is one. `which` names the run's collection.
void verify(const std::string& which, const Run& run, const SerialMark* serial, Heaps& heaps,
            MarkReport& report) {
  if (serial == nullptr) return;
  if (const auto difference = compare(run, *serial, heaps.collector.heap())) {
    report.differences.push_back(fmt::format("collection {}: {}", which, *difference));
  }
}

// Runs a baseline once and, if it marks in our heap, checks its marks. Returns its time. `which` names the
// run.
double run_baseline(std::size_t index, const std::string& which, const SerialMark* serial, Heaps& heaps,
                    MarkReport& report) {
  const double time_ms = milliseconds(heaps.baselines[index]->run());
  const BaselineResult& result = report.baselines[index];
  if (serial != nullptr && result.phase == Phase::marking) {
    if (const auto difference = serial->difference(heaps.collector.heap())) {
      report.differences.push_back(fmt::format("marking {} by {}: {}", which, result.name, *difference));
    }
  }
  return time_ms;
}

// Runs our collector and each baseline once. Every second run is in reverse order: a marking finds in each
// processor's cache what the one before it left there, so none may always follow the same other one. Calls
// `step()` after each.
template <typename Step>
void run_all(std::uint32_t number, bool is_measured, const std::string& which, const SerialMark* serial,
             Heaps& heaps, MarkReport& report, Step step) {
  const std::size_t sides = 1 + heaps.baselines.size();
  for (std::size_t i = 0; i < sides; ++i) {
    const std::size_t side = number % 2 == 0 ? i : sides - 1 - i;
    if (side == 0) {
      Run run = collect(heaps.collector);
      verify(which, run, serial, heaps, report);
      if (is_measured) report.runs.push_back(std::move(run));
    } else {
      const double time_ms = run_baseline(side - 1, which, serial, heaps, report);
      if (is_measured) report.baselines[side - 1].wall_ms.push_back(time_ms);
    }
    step();
  }
}

void measure(const MarkExperimentOptions& options, const SerialMark* serial, Heaps& heaps,
             MarkReport& report) {
  tools::Progress progress("marking");
  std::optional<Limits> limits;
  if (options.limit) {
    limits.emplace(heaps, options.marking.engine.seed);
    report.limit = limits->lines();
    report.plain_loop.emplace();
  }
  const std::uint32_t all = options.warmup + options.repeat;
  report.runs.reserve(options.repeat);
  for (std::uint32_t i = 0; i < all; ++i) {
    const std::string which = fmt::format("{} of {}", i + 1, all);
    const bool is_measured = i >= options.warmup;
    run_all(i, is_measured, which, serial, heaps, report, [&] { progress.step(i, all); });
    if (limits) limits->run(is_measured, report);
    progress.step(i + 1, all);
  }
}

Bounds measure_bounds_of(const MarkExperimentOptions& options, const SerialMark* serial, Heaps& heaps,
                         MarkReport& report) {
  const BoundsOptions bounds{options.marking, options.repeat, options.warmup};
  return measure_bounds(heaps.collector, heaps.ours->roots(), bounds,
                        [&](const std::string& which, gc::CollectionResult result) {
                          verify(which, describe(std::move(result)), serial, heaps, report);
                        });
}

RunTimeLine describe(const mark::TimeLine& time_line) {
  RunTimeLine run;
  run.start = std::chrono::steady_clock::time_point::max();
  auto end = std::chrono::steady_clock::time_point::min();
  for (std::uint32_t worker = 0; worker < time_line.worker_count(); ++worker) {
    const std::span<const mark::WorkerSpan> spans = time_line.of(worker).spans();
    run.workers.emplace_back(spans.begin(), spans.end());
    run.dropped += time_line.of(worker).dropped();
    if (spans.empty()) continue;
    run.start = std::min(run.start, spans.front().start);
    end = std::max(end, spans.back().end);
  }
  run.length = end - run.start;
  return run;
}

// Records the last of a few runs on an engine of its own, because recording takes time.
RunTimeLine record_time_line(const MarkExperimentOptions& options, const SerialMark* serial, Heaps& heaps,
                             MarkReport& report) {
  constexpr std::size_t kSpansOfWorker = 100'000;
  mark::TimeLine time_line(options.marking.engine.threads, kSpansOfWorker);
  gc::MarkingOptions marking_options = options.marking;
  marking_options.engine.time_line = &time_line;
  std::unique_ptr<gc::MarkEngine> marking = marking_options.make(marking_options);
  MarkingSwap swap(heaps.collector);
  for (std::uint32_t i = 0; i <= options.warmup; ++i) {
    time_line.clear();
    verify("for the time line", describe(swap.collect_with(marking)), serial, heaps, report);
  }
  return describe(time_line);
}

}  // namespace

MarkReport run_mark_experiment(const MarkExperimentOptions& options) {
  Heaps heaps(options);
  MarkReport report;
  report.graph = options.graph;
  report.objects = heaps.objects;
  report.threads = heaps.collector.mark_threads();
  report.parts = options.parts;
  report.marking = options.marking;
  report.verified = options.verify;
  report.baselines = results_to_come(options, heaps);
  const std::unique_ptr<SerialMark> serial = reference_for(options, heaps);
  measure(options, serial.get(), heaps, report);
  report.heap_bytes = heaps.collector.heap().chunk_bytes();
  report.heap_bytes_by_node = heaps.collector.heap().chunk_bytes_by_node();
  report.marking_memory_bytes = heaps.collector.marking_memory_bytes();
  report.median = medians(report.runs);
  for (BaselineResult& baseline : report.baselines)
    baseline.compare_with(report.median.time_of(baseline.phase));
  if (report.limit) report.limit->median_ms = tools::median_of(report.limit->wall_ms);
  if (report.plain_loop) report.plain_loop->median_ms = tools::median_of(report.plain_loop->wall_ms);
  if (options.bounds) report.bounds = measure_bounds_of(options, serial.get(), heaps, report);
  if (options.time_line) report.time_line = record_time_line(options, serial.get(), heaps, report);
  return report;
}

}  // namespace jackdaw::bench
