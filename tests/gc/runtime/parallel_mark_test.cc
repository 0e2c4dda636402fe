// Parallel marking: whatever the threads, the victim policy and the queue's size, the marks are those of a
// serial traversal.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "bench/heap/serial_mark.h"
#include "gc/marking/mark_engine.h"
#include "gc/runtime/collector.h"
#include "gc/runtime/mutator.h"
#include "tests/gc/runtime/program.h"
#include "tests/gc/runtime/random_heap.h"
#include "tests/scaled.h"

namespace jackdaw::gc {
namespace {

using heap::Object;
using heap::TypeDescriptor;

struct QueueSize {
  std::size_t blocks;
  std::size_t block_size;
};

using Parameters = std::tuple<std::uint32_t, QueueSize>;

class ParallelMark : public testing::TestWithParam<Parameters> {
 protected:
  static CollectorOptions options() {
    const auto& [threads, queue] = GetParam();
    CollectorOptions options = only_when_asked();
    options.marking.engine.threads = threads;
    options.marking.engine.tuning.serial_references = 0;
    options.marking.engine.tuning.blocks = queue.blocks;
    options.marking.engine.tuning.block_size = queue.block_size;
    return options;
  }
  static bool has_small_queue() { return std::get<QueueSize>(GetParam()).block_size == 2; }

  Collector collector_{options()};
};

TEST_P(ParallelMark, EqualsTheSerialTraversalOfRandomGraphs) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const RandomHeap graph(collector_, mark::scaled(30'000), seed);
    ASSERT_GT(graph.serial().objects(), graph.size() / 2);
    ASSERT_LT(graph.serial().objects(), graph.size()) << "there is garbage, too";
    for (int run = 0; run < 3; ++run) {
      const CollectionResult result = collector_.collect();
      graph.expect_collected_correctly(result);
      expect_nothing_dropped(result);
    }
  }
  EXPECT_EQ(collector_.collect().live_objects, 0U);
}

TEST_P(ParallelMark, EqualsTheSerialTraversalOfSmallGraphs) {
  // Few tasks and many rounds: what goes wrong at a round's start and end goes wrong here.
  const RandomHeap graph(collector_, 40, 9);
  for (std::size_t run = 0; run < mark::scaled(300); ++run)
    graph.expect_collected_correctly(collector_.collect());
}

// An array of lists, a binary tree and a comb: about a million objects, wide here and deep there.
TEST_P(ParallelMark, EqualsTheSerialTraversalOfAWideAndDeepGraph) {
  const std::size_t lists = mark::scaled(3'000);
  constexpr std::size_t kLength = 100;
  const std::size_t tree = mark::scaled(400'000);
  const std::size_t comb = mark::scaled(300'000);
  const TypeDescriptor array_type = TypeDescriptor::reference_array();
  std::vector<Object*> roots;
  {
    Mutator mutator(collector_);
    Object* const heads = mutator.allocate_array(array_type, lists);
    for (std::size_t i = 0; i < lists; ++i) {
      Handle list(mutator);
      for (std::size_t j = 0; j < kLength; ++j) ASSERT_TRUE(prepend(mutator, list, j));
      *heads->element(i) = list.get();
    }
    std::vector<Object*> nodes;
    for (std::size_t i = 0; i < tree; ++i) {
      nodes.push_back(mutator.allocate(Record::type()));
      if (i == 0) continue;
      Object* const parent = nodes[(i - 1) / 2];
      (i % 2 == 1 ? Record::next(parent) : Record::other(parent)) = nodes.back();
    }
    Object* spine = nullptr;
    for (std::size_t i = 0; i < comb / 2; ++i) {
      Object* const bone = mutator.allocate(Record::type());
      Record::next(bone) = spine;
      Record::other(bone) = mutator.allocate(Record::type());
      spine = bone;
    }
    roots = {heads, nodes.front(), spine};
  }
  collector_.add_roots(roots);
  const bench::SerialMark serial(roots);
  ASSERT_EQ(serial.objects(), 1 + lists * kLength + tree + comb / 2 * 2);
  for (int run = 0; run < 2; ++run) {
    const CollectionResult result = collector_.collect();
    expect_same_marks(serial, collector_, result);
    expect_nothing_dropped(result);
    if (has_small_queue()) {
      EXPECT_GT(mark::total(result.workers).overflow_pushes, 0U) << "four tasks are all that the queue holds";
    }
  }
  collector_.remove_roots(roots);
}

TEST_P(ParallelMark, TakesMoreRootsThanAnyQueueHolds) {
  std::vector<Object*> roots;
  {
    Mutator mutator(collector_);
    for (std::size_t i = 0; i < mark::scaled(100'000); ++i) {
      Object* const record = mutator.allocate(Record::type());
      Record::next(record) = mutator.allocate(Record::type());
      roots.push_back(record);
      if (i % 7 == 0) roots.push_back(nullptr);
      if (i % 5 == 0) roots.push_back(record);
    }
  }
  collector_.add_roots(roots);
  const bench::SerialMark serial(roots);
  expect_same_marks(serial, collector_, collector_.collect());
  collector_.remove_roots(roots);
}

TEST_P(ParallelMark, SharesAnArrayThatIsAllThereIs) {
  const TypeDescriptor array_type = TypeDescriptor::reference_array();
  std::vector<Object*> roots(1);
  {
    Mutator mutator(collector_);
    roots[0] = mutator.allocate_array(array_type, mark::scaled(300'000));
    for (std::uint64_t i = 0; i < roots[0]->array_length(); i += 3) {
      *roots[0]->element(i) = mutator.allocate(Record::type());
    }
  }
  collector_.add_roots(roots);
  const bench::SerialMark serial(roots);
  for (int run = 0; run < 3; ++run) expect_same_marks(serial, collector_, collector_.collect());
  collector_.remove_roots(roots);
}

std::string name_of_parameters(const testing::TestParamInfo<Parameters>& info) {
  const auto& [threads, queue] = info.param;
  return std::to_string(threads) + "_threads_" + std::to_string(queue.blocks) + "_blocks_of_" +
         std::to_string(queue.block_size);
}

INSTANTIATE_TEST_SUITE_P(Engines, ParallelMark,
                         testing::Combine(testing::Values(1U, 2U, 4U, 8U),
                                          testing::Values(QueueSize{8, 1024}, QueueSize{2, 2},
                                                          QueueSize{3, 64})),
                         name_of_parameters);

TEST(ParallelMarkStatistics, WorkersOfOneThreadNeverSteal) {
  Collector collector(only_when_asked());
  const RandomHeap graph(collector, 10'000, 4);
  const CollectionResult result = collector.collect();
  ASSERT_EQ(result.workers.size(), 1U);
  EXPECT_EQ(result.workers[0].steal_attempts, 0U);
  EXPECT_EQ(result.workers[0].steals, 0U);
  EXPECT_EQ(result.workers[0].steal_percent(), 0.0);
}

}  // namespace
}  // namespace jackdaw::gc
