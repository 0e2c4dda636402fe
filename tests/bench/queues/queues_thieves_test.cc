// The other concurrent queues under thieves that take single tasks and batches: every task that was pushed
// comes out exactly once, and each thief gets its tasks in the order in which they were pushed.
// block_queue_suite.h has the queues in blocks.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "tests/bench/queues/queue_kinds.h"
#include "tests/mark/thieves_at_work.h"
#include "tests/scaled.h"

namespace jackdaw::bench {
namespace {

template <typename Kind>
class QueuesThieves : public testing::Test {
 protected:
  // On AArch64 a sequentially consistent load never overtakes such a store. In the emulator it does
  // (QEMU 7.2: a barrier stands before the store and behind the load, and none between them).
  void SetUp() override {
    if (mark::kEmulated && Kind::kStoresThenLoads) GTEST_SKIP() << "the emulator lets loads overtake stores";
  }

  void lose_nothing_and_double_nothing(std::size_t blocks, std::size_t block_size, unsigned thieves) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      using Queue = typename Kind::Queue;
      mark::ThievesAtWork<Queue, Kind::kOrder> work([&] { return Queue(blocks, block_size); },
                                                    mark::scaled(8000), seed);
      work.run(thieves);
      work.expect_every_task_exactly_once_and_in_order();
    }
  }
};
TYPED_TEST_SUITE(QueuesThieves, KindsWithoutBlocks, KindName);

// Nearly every pop is of the last task, and a queue that grows does so under the thieves' eyes.
TYPED_TEST(QueuesThieves, LoseAndDoubleNothingInTheSmallestQueue) {
  this->lose_nothing_and_double_nothing(2, 1, 2);
}

TYPED_TEST(QueuesThieves, LoseAndDoubleNothingInASmallQueue) {
  this->lose_nothing_and_double_nothing(3, 2, 4);
}

TYPED_TEST(QueuesThieves, LoseAndDoubleNothingWithOneThief) {
  this->lose_nothing_and_double_nothing(2, 2, 1);
}

TYPED_TEST(QueuesThieves, LoseAndDoubleNothingInAQueueOfSeveralBlocks) {
  this->lose_nothing_and_double_nothing(8, 16, 3);
}

}  // namespace
}  // namespace jackdaw::bench
