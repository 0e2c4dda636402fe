// That the baselines which mark our heap mark what the serial traversal reaches, whatever the graph and
// however many threads, and leave the heap as it was.
#include "bench/baseline/heap_marker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/baseline/choices.h"
#include "bench/baseline/openmp_marker.h"
#include "bench/heap/heap_graph.h"
#include "bench/heap/serial_mark.h"
#include "gc/runtime/collector.h"
#include "mark/statistics.h"
#include "tests/scaled.h"
#include "tools/command/named_values.h"
#include "tools/graph/graph.h"
#include "tools/graph/graph_spec.h"

namespace jackdaw::bench {
namespace {

std::vector<BaselineKind> heap_markers() {
  std::vector<BaselineKind> kinds = {BaselineKind::tbb_feeder, BaselineKind::tbb_tasks,
                                     BaselineKind::tbb_packets};
  if (has_openmp()) kinds.insert(kinds.end(), {BaselineKind::openmp, BaselineKind::openmp_packets});
  return kinds;
}

using Parameters = std::tuple<BaselineKind, std::uint32_t>;

class EveryHeapMarker : public testing::TestWithParam<Parameters> {
 protected:
  static void expect_marks_of(const std::string& spec) {
    const auto [kind, threads] = GetParam();
    gc::CollectorOptions options;
    options.automatic = false;
    options.marking.engine.threads = threads;
    gc::Collector collector(options);
    const tools::Graph graph = tools::make_graph(spec);
    const HeapGraph ours(graph, collector);
    const SerialMark serial(ours.roots());
    const std::unique_ptr<Baseline> baseline =
        make_baseline(kind, graph, ours, collector, options.marking, "");
    EXPECT_EQ(baseline->phase(), Phase::marking);
    EXPECT_EQ(baseline->threads(), threads);
    for (int run = 0; run < 3; ++run) {
      EXPECT_GT(baseline->run().count(), 0);
      EXPECT_EQ(serial.difference(collector.heap()), std::nullopt) << spec << ", run " << run;
      EXPECT_EQ(mark::total(collector.collect().workers).objects_marked, serial.objects()) << spec;
    }
  }
};

TEST_P(EveryHeapMarker, MarksWhatIsReachable) {
  for (const char* const spec :
       {"tree:0", "tree:13", "list:1", "list:5000", "shuffled:20000,4", "ordered:20000,4", "random:20000,1",
        "random:20000,5", "comb:100,100", "comb:1,3000"}) {
    expect_marks_of(spec);
  }
}

// Arrays of one slice and of many, few of them and many.
TEST_P(EveryHeapMarker, MarksWhatIsReachableFromArrays) {
  for (const char* const spec :
       {"array:1", "array:512", "array:513", "array:5000", "array:70000", "rmat:10,16", "rmat:8,600"}) {
    expect_marks_of(spec);
  }
}

// More roots than a packet holds, and just as many.
TEST_P(EveryHeapMarker, MarksFromEveryRoot) {
  for (const char* const spec : {"layers:1,1", "layers:1,64", "layers:2,65", "layers:3,200"}) {
    expect_marks_of(spec);
  }
}

// Tasks that a runtime runs at once, each within the one before, would be too many for a thread's stack.
TEST_P(EveryHeapMarker, MarksDeepGraphs) {
  expect_marks_of("list:100000");
  expect_marks_of("random:" + std::to_string(mark::scaled(100'000)) + ",4");
}

// Our own engines with a number of workers decided beforehand: the collector has its own again afterwards.
TEST(OwnEngine, MarksWhatIsReachableByItsWorkers) {
  gc::CollectorOptions options;
  options.automatic = false;
  options.marking.engine.threads = 2;
  gc::Collector collector(options);
  const tools::Graph graph = tools::make_graph("tree:13");
  const HeapGraph ours(graph, collector);
  const SerialMark serial(ours.roots());
  for (const auto& [kind, threads] : {std::pair{BaselineKind::serial, 1U}, {BaselineKind::team, 2U}}) {
    const std::unique_ptr<Baseline> baseline =
        make_baseline(kind, graph, ours, collector, options.marking, "");
    EXPECT_EQ(baseline->phase(), Phase::collection);
    EXPECT_EQ(baseline->threads(), threads);
    EXPECT_GT(baseline->run().count(), 0);
    EXPECT_EQ(serial.difference(collector.heap()), std::nullopt) << tools::name_of(kBaselineKinds, kind);
    EXPECT_EQ(collector.mark_threads(), 2U);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, EveryHeapMarker,
                         testing::Combine(testing::ValuesIn(heap_markers()), testing::Values(1, 2, 4)),
                         [](const testing::TestParamInfo<Parameters>& info) {
                           std::string name(tools::name_of(kBaselineKinds, std::get<0>(info.param)));
                           std::ranges::replace(name, '-', '_');
                           return name + "_by_" + std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace jackdaw::bench
