#include "bench/mark/conservative_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "tools/command/progress.h"
#include "tools/graph/graph_spec.h"
#include "tools/graph/reachable_nodes.h"

namespace jackdaw::bench {

namespace {

tools::Graph make_graph_of_plain_objects(const ConservativeExperimentOptions& options) {
  tools::GraphOptions graph;
  graph.object_bytes = options.object_bytes;
  graph.headers = false;
  graph.seed = options.seed;
  graph.heap_copies = options.beside_libgc ? 2 : 1;
  return tools::make_graph(options.graph, graph);
}

// The heaps that the runs collect, without the graph that they were built from.
struct HeapPair {
  explicit HeapPair(const ConservativeExperimentOptions& options)
      : HeapPair(options, make_graph_of_plain_objects(options)) {}

  std::uint64_t objects;
  std::uint64_t reachable;
  ConservativeHeap ours;
  std::optional<ConservativeHeap> libgc;

 private:
  HeapPair(const ConservativeExperimentOptions& options, const tools::Graph& graph)
      : HeapPair(options, graph, tools::reachable_nodes(graph)) {}
  HeapPair(const ConservativeExperimentOptions& options, const tools::Graph& graph,
           const std::vector<bool>& is_reachable)
      : objects(graph.node_count),
        reachable(static_cast<std::uint64_t>(std::ranges::count(is_reachable, true))),
        ours(jackdaw_functions(), options.setting, graph, options.verify ? &is_reachable : nullptr) {
    if (options.beside_libgc)
      libgc.emplace(libgc_functions(options.libgc_folder), options.setting, graph,
                    options.verify ? &is_reachable : nullptr);
  }
};

double collect_ms(ConservativeHeap& heap) {
  return std::chrono::duration<double, std::milli>(heap.collect()).count();
}

// Notes objects that the collection lost. Returns how many unreachable objects it kept. `which` names the
// run.
std::uint64_t verify(const std::string& which, const ConservativeHeap& heap, ConservativeReport& report) {
  const ConservativeHeap::Census census = heap.census();
  if (census.missing != 0) {
    report.differences.push_back(fmt::format("collection {} by {}: {} of {} reachable objects are unmarked",
                                             which, heap.name(), census.missing, census.reachable));
  }
  return census.unreachable;
}

void measure(HeapPair& heaps, ConservativeReport& report) {
  tools::Progress progress("collecting");
  const std::uint32_t all = report.options.warmup + report.options.repeat;
  std::optional<PlainLoop> loop;
  if (report.options.limit) {
    collect_ms(heaps.ours);  // so that the garbage is known
    loop.emplace(heaps.ours.map(), PlainLoop::Objects::conservative, heaps.ours.roots());
    report.plain_loop.emplace();
  }
  for (std::uint32_t i = 0; i < all; ++i) {
    const std::string which = fmt::format("{} of {}", i + 1, all);
    const double ours_ms = collect_ms(heaps.ours);
    progress.step(i, all);
    const double loop_ms = loop ? loop->run().count() : 0;
    const double libgc_ms = heaps.libgc ? collect_ms(*heaps.libgc) : 0;
    progress.step(i, all);
    if (report.options.verify) {
      report.most_kept = std::max(report.most_kept, verify(which, heaps.ours, report));
      if (heaps.libgc) verify(which, *heaps.libgc, report);
    }
    if (i >= report.options.warmup) {
      report.collect_ms.push_back(ours_ms);
      if (loop) report.plain_loop->wall_ms.push_back(loop_ms);
      if (heaps.libgc) report.baselines.front().wall_ms.push_back(libgc_ms);
    }
    progress.step(i + 1, all);
  }
  if (loop) {
    report.plain_loop->objects_marked = loop->objects_marked();
    report.plain_loop->median_ms = tools::median_of(report.plain_loop->wall_ms);
  }
}

}  // namespace

ConservativeReport run_conservative_experiment(const ConservativeExperimentOptions& options) {
  HeapPair heaps(options);
  ConservativeReport report;
  report.options = options;
  report.objects = heaps.objects;
  report.reachable = heaps.reachable;
  report.threads = heaps.ours.threads();
  if (heaps.libgc) {
    report.baselines.push_back(
        {"boehm", heaps.libgc->version(), Phase::collection, heaps.libgc->threads(), {}});
  }
  measure(heaps, report);
  report.heap_bytes = heaps.ours.heap_bytes();
  report.median_ms = tools::median_of(report.collect_ms);
  for (BaselineResult& baseline : report.baselines) baseline.compare_with(report.median_ms);
  return report;
}

}  // namespace jackdaw::bench
