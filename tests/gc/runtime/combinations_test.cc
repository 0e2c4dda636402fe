// Every queue with every victim policy, with sanitizers the collector's own alone: each marks what a serial
// traversal marks, with more workers than most machines have processors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/engines/engines.h"
#include "gc/marking/mark_engine.h"
#include "gc/runtime/collector.h"
#include "mark/marker_options.h"
#include "tests/gc/runtime/program.h"
#include "tests/gc/runtime/random_heap.h"
#include "tests/scaled.h"

namespace jackdaw::gc {
namespace {

constexpr std::uint32_t kThreads = 8;

std::vector<std::string_view> queues_that_serve(bool one_thread_alone) {
  std::vector<std::string_view> queues = bench::engine_queues();
  std::erase_if(queues,
                [=](auto queue) { return bench::serves_one_thread_alone(queue) != one_thread_alone; });
  return queues;
}

// Small blocks, so that they change hands, and four memory nodes, so that near and far differ.
// Every second time all workers begin at once; else one begins and calls the others.
CollectorOptions options_for(std::string_view queue, std::string_view victim, std::uint64_t seed) {
  CollectorOptions options = only_when_asked();
  options.marking.make = bench::maker_of({std::string(queue), std::string(victim)});
  mark::MarkerOptions& engine = options.marking.engine;
  engine.threads = kThreads;
  engine.tuning.blocks = 4;
  engine.tuning.block_size = 8;
  engine.tuning.serial_references = seed % 2 == 0 ? 0 : 500;
  engine.nodes = {0, 0, 1, 1, 2, 2, 3, 3};
  return options;
}

void expect_marks_like_a_serial_traversal(const CollectorOptions& options, std::uint64_t seed) {
  Collector collector(options);
  const RandomHeap graph(collector, mark::scaled(20'000), seed);
  for (int run = 0; run < 2; ++run) {
    const CollectionResult result = collector.collect();
    graph.expect_collected_correctly(result);
    expect_nothing_dropped(result);
  }
}

class Combinations : public testing::TestWithParam<std::string_view> {};

TEST_P(Combinations, MarkEverythingOnceWithEveryVictimPolicy) {
  std::uint64_t seed = 1;
  for (const std::string_view victim : bench::engine_victims()) {
    for (int run = 0; run < 2; ++run) {
      SCOPED_TRACE(std::string(victim) + ", " + std::to_string(seed));
      expect_marks_like_a_serial_traversal(options_for(GetParam(), victim, seed), seed);
      ++seed;
    }
  }
}

TEST_P(Combinations, MarkEverythingOnceWithEveryGrantAndBatch) {
  std::uint64_t seed = 100;
  for (const auto& [name, grant] : bench::kGrants) {
    for (const std::size_t batch : std::vector<std::size_t>{1, 1, 6, 6}) {
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(batch) + ", " + std::to_string(seed));
      CollectorOptions options = options_for(GetParam(), bench::engine_victims().back(), seed);
      options.marking.engine.tuning.steal_batch = batch;
      options.marking.engine.tuning.grant = grant;
      expect_marks_like_a_serial_traversal(options, seed++);
    }
  }
}

std::string name_of_queue(const testing::TestParamInfo<std::string_view>& info) {
  std::string name(info.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Queues, Combinations, testing::ValuesIn(queues_that_serve(false)), name_of_queue);

class SequentialQueues : public testing::TestWithParam<std::string_view> {};

TEST_P(SequentialQueues, MarkEverythingOnceAlone) {
  CollectorOptions options = only_when_asked();
  options.marking.make = bench::maker_of({.queue = std::string(GetParam()), .victim = {}});
  options.marking.engine.tuning.blocks = 4;
  options.marking.engine.tuning.block_size = 8;
  expect_marks_like_a_serial_traversal(options, 7);
}

TEST_P(SequentialQueues, RefuseCompany) {
  CollectorOptions options = options_for(GetParam(), bench::engine_victims().back(), 0);
  EXPECT_THROW(Collector{options}, std::invalid_argument);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SequentialQueues);
INSTANTIATE_TEST_SUITE_P(Queues, SequentialQueues, testing::ValuesIn(queues_that_serve(true)), name_of_queue);

}  // namespace
}  // namespace jackdaw::gc
