// Tasks that no memory can be had for are dropped; the collector finds them again by their marks, in further
// passes.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "bench/heap/serial_mark.h"
#include "gc/runtime/collector.h"
#include "gc/runtime/mutator.h"
#include "tests/gc/runtime/program.h"
#include "tests/gc/runtime/random_heap.h"

namespace jackdaw::gc {
namespace {

using heap::Object;
using heap::TypeDescriptor;

struct Sizes {
  std::uint32_t threads;
  std::size_t blocks;
  std::size_t block_size;
  std::size_t overflow_limit;
};

class DroppedTasks : public testing::TestWithParam<Sizes> {
 protected:
  static CollectorOptions options() {
    CollectorOptions options = only_when_asked();
    options.marking.engine.threads = GetParam().threads;
    options.marking.engine.tuning.blocks = GetParam().blocks;
    options.marking.engine.tuning.block_size = GetParam().block_size;
    options.marking.engine.overflow_limit = GetParam().overflow_limit;
    return options;
  }

  Collector collector_{options()};
};

// An array whose elements fill any of the queues many times over, each with a list behind it.
TEST_P(DroppedTasks, OfAWideArrayAreFoundAgain) {
  constexpr std::uint64_t kWidth = 30'000;
  const TypeDescriptor array_type = TypeDescriptor::reference_array();
  std::vector<Object*> roots(1);
  {
    Mutator mutator(collector_);
    roots[0] = mutator.allocate_array(array_type, kWidth);
    for (std::uint64_t i = 0; i < kWidth; ++i) {
      Handle list(mutator);
      for (std::uint64_t j = 0; j < 3; ++j) ASSERT_TRUE(prepend(mutator, list, j));
      *roots[0]->element(i) = list.get();
    }
  }
  collector_.add_roots(roots);
  const bench::SerialMark serial(roots);
  for (int run = 0; run < 2; ++run) expect_same_marks(serial, collector_, collector_.collect());
  collector_.remove_roots(roots);
}

TEST_P(DroppedTasks, OfRandomGraphsAreFoundAgain) {
  const RandomHeap graph(collector_, 5'000, 2);
  for (int run = 0; run < 2; ++run) {
    const CollectionResult result = collector_.collect();
    graph.expect_collected_correctly(result);
    const mark::WorkerStatistics sum = mark::total(result.workers);
    EXPECT_LE(sum.overflow_peak, GetParam().overflow_limit);
  }
}

// One object with thousands of references: its tasks come all at once, more than any queue here holds.
TEST_P(DroppedTasks, OfOneObjectAreFoundAgainInFurtherPasses) {
  constexpr std::size_t kReferences = 40'000;
  const TypeDescriptor wide = TypeDescriptor::all_words(8 * (kReferences + 1));
  std::vector<Object*> roots(1);
  {
    Mutator mutator(collector_);
    roots[0] = mutator.allocate(wide);
    for (std::size_t word = 1; word <= kReferences; ++word) {
      Object* const record = mutator.allocate(Record::type());
      Record::next(record) = mutator.allocate(Record::type());
      *roots[0]->slot(word) = record;
    }
  }
  collector_.add_roots(roots);
  const bench::SerialMark serial(roots);
  ASSERT_EQ(serial.objects(), 1 + 2 * kReferences);
  const CollectionResult result = collector_.collect();
  EXPECT_GT(result.mark_passes, 1U);
  expect_same_marks(serial, collector_, result);
  collector_.remove_roots(roots);
}

std::string name_of_sizes(const testing::TestParamInfo<Sizes>& info) {
  return std::to_string(info.param.threads) + "_threads_" + std::to_string(info.param.blocks) +
         "_blocks_of_" + std::to_string(info.param.block_size) + "_and_" +
         std::to_string(info.param.overflow_limit);
}

INSTANTIATE_TEST_SUITE_P(Sizes, DroppedTasks,
                         testing::Values(Sizes{1, 8, 1024, 0}, Sizes{1, 8, 1024, 100}, Sizes{2, 8, 1024, 0},
                                         Sizes{4, 2, 1024, 0}, Sizes{1, 2, 256, 10}, Sizes{4, 2, 256, 0},
                                         // Fewer places than a piece of the objects to visit again, and fewer
                                         // than a big array has levels.
                                         Sizes{1, 2, 64, 0}, Sizes{4, 2, 64, 5}, Sizes{1, 2, 2, 0},
                                         Sizes{2, 2, 2, 1}, Sizes{8, 2, 2, 0}, Sizes{1, 2, 1, 0}),
                         name_of_sizes);

}  // namespace
}  // namespace jackdaw::gc
