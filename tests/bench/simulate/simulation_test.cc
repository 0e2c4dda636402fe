// The simulation: what must hold of it exactly, whatever the costs are.
#include "bench/simulate/simulation.h"
#include "bench/engines/engines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/heap/heap_graph.h"
#include "bench/simulate/simulate_experiment.h"
#include "gc/marking/mark_engine.h"
#include "gc/runtime/collector.h"
#include "mark/random_numbers.h"
#include "mark/statistics.h"
#include "tools/graph/graph_options.h"
#include "tools/graph/graph_spec.h"

namespace jackdaw::bench {
namespace {

using Targets = std::vector<std::vector<RecordedNode>>;

// A line holds this number of marks.
constexpr std::uint32_t kMarksOfALine = 32;

Recording record(const Targets& targets) {
  std::vector<std::uint32_t> lines(targets.size());
  for (std::uint32_t node = 0; node < lines.size(); ++node) lines[node] = node / kMarksOfALine;
  return {targets, {0}, lines};
}

// A complete binary tree.
Targets tree(std::uint32_t nodes) {
  Targets targets(nodes);
  for (std::uint32_t node = 1; node < nodes; ++node) targets[(node - 1) / 2].push_back(node);
  return targets;
}

Targets list(std::uint32_t nodes) {
  Targets targets(nodes);
  for (std::uint32_t node = 0; node + 1 < nodes; ++node) targets[node].push_back(node + 1);
  return targets;
}

// A tree with three more references from each node, to anywhere: cycles and all.
Targets tangle(std::uint32_t nodes) {
  Targets targets = tree(nodes);
  mark::RandomNumbers random(1);
  for (std::vector<RecordedNode>& of_node : targets) {
    for (int i = 0; i < 3; ++i) of_node.push_back(random.below(nodes));
  }
  return targets;
}

// Whole numbers, so that sums are exact. All workers begin at once.
SimulationSetup setup_for(std::uint32_t workers) {
  SimulationSetup setup;
  setup.engine.threads = workers;
  setup.engine.tuning.serial_references = 64;
  setup.machine.wake = 100;
  setup.machine.wake_call = 10;
  setup.visits = {.task = 16,
                  .reference = 8,
                  .before = 1000,
                  .beside = 1,
                  .beside_far = -1,
                  .locked_mark = 4,
                  .sample = 5};
  setup.queue_costs.push_pop = 2;
  return setup;
}

TEST(Simulation, AWorkerAloneTakesTheSumOfTheCosts) {
  for (const Targets& targets : {tree(1), list(500), tree(4095), tangle(3000)}) {
    const Recording recording = record(targets);
    const SimulationResult result = simulate(recording, setup_for(1));
    EXPECT_EQ(result.tasks, recording.task_count());
    EXPECT_EQ(result.references, recording.reference_count());
    const auto count = [](std::uint64_t number) { return static_cast<double>(number); };
    EXPECT_EQ(result.time,
              1000 + 16 * count(result.tasks) + 8 * count(result.references) + 2 * count(result.pushes));
    EXPECT_EQ(result.steal_attempts, 0U);
    EXPECT_EQ(result.helpers, 0U);
  }
}

// The tasks that pass through the queue depend on which tasks are visited together, and on when the
// prefetch buffer is filled up; the last two graphs have arrays in slices.
TEST(Simulation, AWorkerAloneFillsItsQueueAsTheEngines) {
  for (const std::string name :
       {"tree:14", "random:20000,4", "comb:500,200", "rmat:12,64", "strings:20000"}) {
    gc::CollectorOptions options;
    options.automatic = false;
    options.marking.engine.threads = 1;
    gc::Collector collector(options);
    const HeapGraph graph(tools::make_graph(name, {}), collector);
    const SimulationResult result = simulate(Recording(graph.roots()), setup_for(1));
    const mark::WorkerStatistics engine = mark::total(collector.collect().workers);
    EXPECT_EQ(result.tasks, engine.tasks_executed) << name;
    EXPECT_EQ(result.pushes, engine.pushes) << name;
    EXPECT_GT(result.pushes, 0U) << name;
  }
}

TEST(Simulation, NothingToMarkTakesNoTime) {
  const Recording recording({}, {}, {});
  EXPECT_EQ(simulate(recording, setup_for(1)).time, 1000);
  EXPECT_EQ(simulate(recording, setup_for(8)).time, 1000);
}

TEST(Simulation, EveryTaskIsExecutedOnceByEveryQueueAndPolicy) {
  const Recording recording = record(tangle(20'000));
  for (const std::string_view queue : simulated_queue_names()) {
    for (const std::string_view victim : engine_victims()) {
      for (const std::uint32_t workers : {2U, 7U, 65U}) {
        SimulationSetup setup = setup_for(workers);
        setup.queue = queue;
        setup.victim = victim;
        setup.engine.tuning.steal_batch = workers;
        const SimulationResult result = simulate(recording, setup);
        EXPECT_EQ(result.tasks, recording.task_count()) << queue << ' ' << victim << ' ' << workers;
        EXPECT_EQ(result.references, recording.reference_count()) << queue << ' ' << victim << ' ' << workers;
        EXPECT_GT(result.tasks_stolen, 0U) << queue << ' ' << victim << ' ' << workers;
        EXPECT_LE(result.steals, result.tasks_stolen);
        EXPECT_LE(result.steals + result.steals_contended, result.steal_attempts);
      }
    }
  }
}

TEST(Simulation, WhatFindsNoPlaceInTheQueueIsNotLost) {
  const Recording recording = record(tangle(20'000));
  SimulationSetup setup = setup_for(3);
  setup.engine.tuning.blocks = 2;
  setup.engine.tuning.block_size = 4;
  EXPECT_EQ(simulate(recording, setup).tasks, recording.task_count());
}

TEST(Simulation, IsNeverFasterThanTheSpanOrAnEvenShare) {
  const Recording recording = record(tree(16'383));
  for (const std::uint32_t workers : {2U, 4U, 16U, 100U, 1024U}) {
    const double time = simulate_repeated(recording, setup_for(workers)).time;
    EXPECT_GE(time, 1000 + (16 * 16'383.0 + 8 * 16'382.0) / workers) << workers;
    EXPECT_GE(time, 1000 + 14 * 16 + 13 * 8) << workers;
  }
}

TEST(Simulation, AListIsMarkedByOneWorker) {
  const Recording recording = record(list(5000));
  const double alone = simulate(recording, setup_for(1)).time;
  const SimulationResult result = simulate(recording, setup_for(16));
  EXPECT_EQ(result.helpers, 0U);
  EXPECT_EQ(result.time, alone);
}

TEST(Simulation, TheSameSeedGivesTheSameResult) {
  const Recording recording = record(tangle(20'000));
  SimulationSetup setup = setup_for(16);
  const SimulationResult first = simulate(recording, setup);
  const SimulationResult again = simulate(recording, setup);
  EXPECT_EQ(first.time, again.time);
  EXPECT_EQ(first.steal_attempts, again.steal_attempts);
  EXPECT_EQ(first.steals, again.steals);
  setup.engine.seed = 2;
  EXPECT_NE(simulate(recording, setup).time, first.time);
}

TEST(Simulation, OnOneNodeNothingIsRemote) {
  const Recording recording = record(tree(65'535));
  const SimulationResult result = simulate(recording, setup_for(8));
  EXPECT_GT(result.steals, 0U);
  EXPECT_EQ(result.steals_remote, 0U);
}

// Small blocks, so that near workers have tasks to steal. With larger ones they seldom do, and the policy
// decides little.
TEST(Simulation, ThievesThatLookNearFirstStealLessFromOtherNodes) {
  const Recording recording = record(tree(262'143));
  SimulationSetup setup = setup_for(16);
  setup.engine.tuning.block_size = 64;
  for (std::uint32_t i = 0; i < 16; ++i) setup.engine.nodes.push_back(i / 8);
  const auto remote_percent = [&](const std::string& victim) {
    setup.victim = victim;
    return simulate(recording, setup).remote_percent();
  };
  const double random = remote_percent("random");
  EXPECT_LT(remote_percent("numa"), random * 2 / 3);
  EXPECT_LT(remote_percent("numa-prob"), random * 2 / 3);
}

TEST(Simulation, ARemoteLineCostsWhereThereAreNodes) {
  const Recording recording = record(tangle(20'000));
  SimulationSetup setup = setup_for(8);
  const double near = simulate(recording, setup).time;
  setup.machine.remote_line = 100'000;
  EXPECT_EQ(simulate(recording, setup).time, near);
  for (std::uint32_t i = 0; i < 8; ++i) setup.engine.nodes.push_back(i / 4);
  EXPECT_GT(simulate(recording, setup).time, near);
}

TEST(Simulation, TheLoopBesideOthersCostsWhereThereAreOthers) {
  const Recording recording = record(tree(65'535));
  for (double VisitCosts::*const cost : {&VisitCosts::beside, &VisitCosts::locked_mark}) {
    SimulationSetup alone = setup_for(1);
    SimulationSetup beside = setup_for(2);
    const double alone_before = simulate(recording, alone).time;
    const double beside_before = simulate(recording, beside).time;
    alone.visits.*cost += 20;
    beside.visits.*cost += 20;
    EXPECT_EQ(simulate(recording, alone).time, alone_before);
    EXPECT_GT(simulate(recording, beside).time, beside_before);
  }
}

TEST(Simulation, MarksAreTakenToBeFarWhereSamplesTakeLong) {
  const Recording recording = record(tree(65'535));
  SimulationSetup setup = setup_for(2);
  setup.visits.beside_far = 100;
  const double near = simulate(recording, setup).time;
  setup.visits.sample = 50;
  EXPECT_GT(simulate(recording, setup).time, near);
}

TEST(Simulation, HelpersThatWereUsefulAreWoken) {
  const Recording recording = record(tree(262'143));
  SimulationSetup setup = setup_for(4);
  setup.engine.tuning.small_round_references = 0;
  const SimulationResult first = simulate(recording, setup);
  EXPECT_EQ(first.useful_helpers, 3U);
  EXPECT_EQ(simulate_repeated(recording, setup).helpers, 3U);
  // After a small round one worker goes on alone for longer.
  setup.engine.tuning.small_round_references = 1'000'000;
  EXPECT_EQ(simulate_repeated(recording, setup).helpers, 0U);
}

TEST(Simulation, RefusesWhatIsUnknown) {
  const Recording recording = record(tree(3));
  SimulationSetup setup = setup_for(2);
  setup.queue = "sequential-lifo";
  EXPECT_THROW(simulate(recording, setup), std::invalid_argument);
  setup.queue = "";
  setup.victim = "nobody";
  EXPECT_THROW(simulate(recording, setup), std::invalid_argument);
  EXPECT_THROW(simulate(recording, setup_for(0)), std::invalid_argument);
}

TEST(StopsScaling, WhereADoublingTakesLessThanATenthAway) {
  const auto stops_at = [](const std::vector<std::pair<std::uint32_t, double>>& times) {
    std::vector<Prediction> predictions;
    for (const auto& [workers, time] : times) {
      predictions.emplace_back();
      predictions.back().workers = workers;
      predictions.back().result.time = time;
    }
    return stops_scaling_at(predictions);
  };
  EXPECT_EQ(stops_at({{1, 100}}), 1U);
  EXPECT_EQ(stops_at({{1, 100}, {2, 50}, {4, 25}}), 4U);
  EXPECT_EQ(stops_at({{1, 100}, {2, 91}, {4, 25}}), 1U);
  EXPECT_EQ(stops_at({{1, 100}, {2, 89}, {4, 90}}), 2U);
  // Two doublings must take 19 % away.
  EXPECT_EQ(stops_at({{1, 100}, {4, 82}}), 1U);
  EXPECT_EQ(stops_at({{1, 100}, {4, 80}}), 4U);
}

}  // namespace
}  // namespace jackdaw::bench
