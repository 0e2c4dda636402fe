// The bounds beside the run: which numbers of workers, what is fitted, what is counted, and that the
// collector is as it was.
#include "bench/mark/bounds.h"
#include "bench/engines/engines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/heap/heap_graph.h"
#include "gc/marking/mark_engine.h"
#include "gc/runtime/collector.h"
#include "mark/mark_loop_constants.h"
#include "mark/marker_options.h"
#include "mark/statistics.h"
#include "tools/graph/graph_spec.h"

namespace jackdaw::bench {
namespace {

TEST(WorkerCounts, ArePowersOfTwoAndTheMostItself) {
  using Counts = std::vector<std::uint32_t>;
  EXPECT_EQ(worker_counts(1), (Counts{1}));
  EXPECT_EQ(worker_counts(2), (Counts{1, 2}));
  EXPECT_EQ(worker_counts(3), (Counts{1, 2, 3}));
  EXPECT_EQ(worker_counts(8), (Counts{1, 2, 4, 8}));
  EXPECT_EQ(worker_counts(9), (Counts{1, 2, 4, 8, 9}));
}

BoundsRuns runs_of(std::uint32_t workers, double median_ms) {
  BoundsRuns runs;
  runs.workers = workers;
  runs.median_ms = median_ms;
  return runs;
}

// A hundred tasks of a millisecond each, ten of them one after another.
Bounds hundred_tasks(std::vector<BoundsRuns> several) {
  Bounds bounds;
  bounds.tasks = {100, 100, 10};
  bounds.runs = {runs_of(1, 100)};
  bounds.runs.insert(bounds.runs.end(), several.begin(), several.end());
  bounds.fit = fit_span_factor(bounds);
  return bounds;
}

TEST(Bounds, AreThoseOfTheTheory) {
  Bounds bounds = hundred_tasks({runs_of(4, 45)});
  bounds.runs.front().most_held_tasks = 7;
  BoundsRuns& four = bounds.runs.back();
  four.steal_attempts = 60;
  four.most_held_tasks = 21;
  EXPECT_DOUBLE_EQ(bounds.parallelism(), 10);
  EXPECT_DOUBLE_EQ(bounds.task_ms(), 1);
  EXPECT_DOUBLE_EQ(bounds.span_ms(), 10);
  EXPECT_DOUBLE_EQ(bounds.share_ms(four), 25);
  EXPECT_DOUBLE_EQ(bounds.greedy_ms(four), 35);
  EXPECT_DOUBLE_EQ(bounds.fitted_ms(four), 45);
  EXPECT_DOUBLE_EQ(bounds.attempts_ratio(four), 1.5);
  EXPECT_EQ(bounds.space_bound(four), 28U);
  EXPECT_DOUBLE_EQ(bounds.space_ratio(four), 0.75);
}

TEST(Bounds, OneNumberOfWorkersIsFittedExactly) {
  const Bounds bounds = hundred_tasks({runs_of(2, 80)});
  ASSERT_TRUE(bounds.fit.has_value());
  EXPECT_DOUBLE_EQ(bounds.fit->c, 3);
  EXPECT_TRUE(bounds.fit->exact);
  EXPECT_EQ(bounds.fit->residual_ms, 0);
}

TEST(Bounds, SeveralAreFittedByLeastSquares) {
  // Beyond their shares of 50, 25 and 12.5 ms they take 10, 20 and 60 ms: 30 ms in the mean.
  const Bounds bounds = hundred_tasks({runs_of(2, 60), runs_of(4, 45), runs_of(8, 72.5)});
  ASSERT_TRUE(bounds.fit.has_value());
  EXPECT_DOUBLE_EQ(bounds.fit->c, 3);
  EXPECT_FALSE(bounds.fit->exact);
  // 20, 10 and 30 ms are left over.
  EXPECT_DOUBLE_EQ(bounds.fit->residual_ms * bounds.fit->residual_ms, 1400.0 / 3);
}

TEST(Bounds, BetterThanLinearIsANegativeFactor) {
  EXPECT_DOUBLE_EQ(hundred_tasks({runs_of(2, 40)}).fit->c, -1);
}

TEST(Bounds, OneWorkerAloneLeavesNothingToFit) { EXPECT_FALSE(hundred_tasks({}).fit.has_value()); }

TEST(Bounds, NothingToDoIsNoDivisionByZero) {
  Bounds bounds;
  bounds.runs = {runs_of(1, 5), runs_of(2, 6)};
  EXPECT_FALSE(fit_span_factor(bounds).has_value());
  EXPECT_EQ(bounds.parallelism(), 0);
  EXPECT_EQ(bounds.task_ms(), 0);
  EXPECT_EQ(bounds.attempts_ratio(bounds.runs.back()), 0);
  EXPECT_EQ(bounds.space_ratio(bounds.runs.back()), 0);
}

gc::CollectorOptions only_when_asked() {
  gc::CollectorOptions options;
  options.automatic = false;
  return options;
}

BoundsOptions with_threads(std::uint32_t threads) {
  BoundsOptions options;
  options.marking.engine.threads = threads;
  return options;
}

void ignore(const std::string&, const gc::CollectionResult&) {}

TEST(MeasureBounds, MarksTheHeapInTurnWithEveryNumberOfWorkers) {
  gc::Collector collector(only_when_asked());
  const HeapGraph graph(tools::make_graph("tree:10"), collector);
  BoundsOptions options = with_threads(3);
  options.repeat = 2;
  options.warmup = 1;
  std::vector<std::size_t> workers;
  const auto note = [&](const std::string& which, const gc::CollectionResult& result) {
    EXPECT_NE(which.find("P = " + std::to_string(result.workers.size())), std::string::npos) << which;
    EXPECT_EQ(mark::total(result.workers).tasks_executed, 2047U);
    workers.push_back(result.workers.size());
  };
  const Bounds bounds = measure_bounds(collector, graph.roots(), options, note);
  EXPECT_EQ(workers, (std::vector<std::size_t>{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 1, 2, 2, 3, 3}))
      << "timed in turn, then counted";
  EXPECT_EQ(bounds.tasks.work, 2047U);
  EXPECT_EQ(bounds.tasks.span, 11U);
  ASSERT_EQ(bounds.runs.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(bounds.runs[i].workers, i + 1);
    EXPECT_EQ(bounds.runs[i].wall_ms.size(), 2U) << "warm-ups do not count";
    EXPECT_LE(bounds.runs[i].steals, bounds.runs[i].steal_attempts);
  }
  EXPECT_TRUE(bounds.fit.has_value());
}

TEST(MeasureBounds, GivesTheCollectorItsEngineBack) {
  gc::CollectorOptions collector_options = only_when_asked();
  collector_options.marking.engine.threads = 2;
  collector_options.marking.engine.tuning.blocks = 4;
  gc::Collector collector(collector_options);
  const HeapGraph graph(tools::make_graph("list:100"), collector);
  collector.collect();
  const std::uint64_t memory = collector.marking_memory_bytes();
  measure_bounds(collector, graph.roots(), with_threads(3), ignore);
  EXPECT_EQ(collector.mark_threads(), 2U);
  EXPECT_EQ(collector.marking_memory_bytes(), memory);
  const gc::CollectionResult result = collector.collect();
  EXPECT_EQ(result.live_objects, 100U);
  EXPECT_EQ(mark::total(result.workers).held_peak, 0U) << "the collector's own engine does not count";
}

// A record of references to as many objects, each with a slot of its own, null. An array would be cut.
tools::Graph star(std::uint32_t leaves) {
  tools::Graph graph = tools::make_graph("array:" + std::to_string(leaves));
  graph.types[0] = {tools::NodeType::Layout::record, leaves, "star"};
  graph.types[1] = {tools::NodeType::Layout::record, 1, "leaf"};
  for (std::uint64_t node = 1; node <= graph.node_count; ++node) graph.slot_begin[node] = leaves + node - 1;
  graph.slots.resize(2 * leaves, tools::kNullNode);
  return graph;
}

class EveryQueuesSpace : public testing::TestWithParam<std::string_view> {
 protected:
  static constexpr std::uint32_t kLeaves = 300;

  static constexpr std::size_t kBlocks = 8;

  static std::uint64_t held_by_one(const tools::Graph& of, std::size_t block_size = 1024) {
    gc::Collector collector(only_when_asked());
    const HeapGraph graph(of, collector);
    BoundsOptions options = with_threads(1);
    options.marking.make = maker_of({.queue = std::string(GetParam()), .victim = {}});
    options.marking.engine.tuning.blocks = kBlocks;
    options.marking.engine.tuning.block_size = block_size;
    return measure_bounds(collector, graph.roots(), options, ignore).runs.front().most_held_tasks;
  }
};

TEST_P(EveryQueuesSpace, OfAListIsOne) { EXPECT_EQ(held_by_one(tools::make_graph("list:1000")), 1U); }

TEST_P(EveryQueuesSpace, OfAStarIsItsLeaves) {
  EXPECT_EQ(held_by_one(star(1)), 1U);
  EXPECT_EQ(held_by_one(star(kLeaves)), kLeaves);
}

// Tasks in the prefetch buffer and in the overflow list count, too.
TEST_P(EveryQueuesSpace, CountsWhatOverflows) {
  constexpr std::size_t kBlockSize = 4;
  ASSERT_GT(kLeaves, mark::kPrefetchDepth + kBlocks * kBlockSize);
  EXPECT_EQ(held_by_one(star(kLeaves), kBlockSize), kLeaves);
}

INSTANTIATE_TEST_SUITE_P(Queues, EveryQueuesSpace, testing::ValuesIn(engine_queues()),
                         [](const testing::TestParamInfo<std::string_view>& info) {
                           std::string name(info.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// At any moment a list has one task, which each worker may have held in its turn.
TEST(MeasureBounds, NoWorkerHoldsMoreOfAListThanOneTask) {
  gc::Collector collector(only_when_asked());
  const HeapGraph graph(tools::make_graph("list:10000"), collector);
  for (const BoundsRuns& runs : measure_bounds(collector, graph.roots(), with_threads(4), ignore).runs) {
    EXPECT_GE(runs.most_held_tasks, 1U);
    EXPECT_LE(runs.most_held_tasks, runs.workers);
  }
}

}  // namespace
}  // namespace jackdaw::bench
