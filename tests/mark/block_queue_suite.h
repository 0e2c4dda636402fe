// The cases that hold for both BWoS queues, for each to instantiate: on one thread, at every boundary and
// over many rounds, and under thieves.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "mark/queue/block_ring.h"
#include "mark/queue/queue.h"
#include "tests/mark/thieves_at_work.h"
#include "tests/scaled.h"

namespace jackdaw::mark {

/// `Kind` has the type Queue, its kOrder, and make(blocks, block_size, seed), which may give the queue other
/// rounds by the seed.
template <typename Kind>
class BlockQueue : public testing::Test {
 protected:
  using Queue = typename Kind::Queue;

  struct Shape {
    std::size_t blocks;
    std::size_t block_size;
    [[nodiscard]] std::size_t capacity() const { return blocks * block_size; }
  };

  /// Calls `check(shape)` for shapes at which something is special: the smallest, odd ones, blocks of one
  /// entry, rings in which the newest block is next to the oldest, many blocks.
  template <typename Check>
  static void in_every_shape(Check check) {
    for (std::size_t blocks = 2; blocks < 6; ++blocks) {
      for (std::size_t block_size = 1; block_size < 6; ++block_size) check_in({blocks, block_size}, check);
    }
    for (const Shape shape : {Shape{8, 4}, Shape{8, 16}, Shape{8, 64}, Shape{16, 3}, Shape{3, 64}})
      check_in(shape, check);
  }

  static constexpr bool kNewestFirst = Kind::kOrder == PopOrder::newest_first;

  static void fill(Queue& queue, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t task = begin; task < end; ++task) ASSERT_TRUE(queue.push(task));
    EXPECT_FALSE(queue.push(999));
    EXPECT_FALSE(queue.push(999));
  }
  /// Expects that the owner gets these tasks, in its order.
  static void expect_popped(Queue& queue, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = 0; i < end - begin; ++i) {
      std::uint64_t task = 0;
      ASSERT_TRUE(queue.pop(task));
      ASSERT_EQ(task, kNewestFirst ? end - 1 - i : begin + i);
    }
  }
  static void expect_nothing_popped(Queue& queue) {
    std::uint64_t task = 0;
    EXPECT_FALSE(queue.pop(task));
    EXPECT_FALSE(queue.pop(task));
  }
  /// Expects that a thief gets these tasks, oldest first, and then none.
  static void expect_all_stolen(Queue& queue, std::uint64_t begin, std::uint64_t end) {
    std::uint64_t task = 0;
    for (std::uint64_t i = begin; i < end; ++i) {
      ASSERT_TRUE(queue.has_stealable());
      ASSERT_TRUE(queue.offers_tasks());
      ASSERT_EQ(queue.steal(task), StealOutcome::taken);
      ASSERT_EQ(task, i);
    }
    EXPECT_EQ(queue.steal(task), StealOutcome::empty);
    EXPECT_FALSE(queue.has_stealable());
    EXPECT_FALSE(queue.offers_tasks());
  }

 private:
  template <typename Check>
  static void check_in(Shape shape, Check check) {
    SCOPED_TRACE(testing::Message() << shape.blocks << " blocks of " << shape.block_size);
    if (!testing::Test::HasFatalFailure()) check(shape);
  }
};
TYPED_TEST_SUITE_P(BlockQueue);

TYPED_TEST_P(BlockQueue, IsEmptyAtFirst) {
  typename TypeParam::Queue queue;
  std::uint64_t task = 0;
  EXPECT_FALSE(queue.pop(task));
  EXPECT_EQ(queue.steal(task), StealOutcome::empty);
  EXPECT_FALSE(queue.has_stealable());
  EXPECT_FALSE(queue.offers_tasks());
  EXPECT_EQ(queue.size_hint(), 0U);
  for (std::uint64_t sample = 0; sample < 16; ++sample) EXPECT_FALSE(queue.looks_stealable(sample));
}

TYPED_TEST_P(BlockQueue, RefusesSizesOutOfRange) {
  using Queue = typename TypeParam::Queue;
  EXPECT_THROW(Queue(1, 4), std::invalid_argument);
  EXPECT_THROW(Queue(0, 4), std::invalid_argument);
  EXPECT_THROW(Queue(2, 0), std::invalid_argument);
  EXPECT_THROW(Queue(2, BlockRing::kMaximumBlockSize + 1), std::invalid_argument);
  EXPECT_THROW(Queue(BlockRing::kMaximumBlockCount + 1, 1), std::invalid_argument);
  EXPECT_NO_THROW(Queue(2, BlockRing::kMaximumBlockSize));
}

TYPED_TEST_P(BlockQueue, HoldsExactlyItsCapacityAndGivesItBackInOrder) {
  this->in_every_shape([](auto shape) {
    typename TypeParam::Queue queue(shape.blocks, shape.block_size);
    for (std::uint64_t round = 0; round < 5; ++round) {
      const std::uint64_t begin = round * shape.capacity();
      ASSERT_NO_FATAL_FAILURE(TestFixture::fill(queue, begin, begin + shape.capacity()));
      ASSERT_NO_FATAL_FAILURE(TestFixture::expect_popped(queue, begin, begin + shape.capacity()));
      TestFixture::expect_nothing_popped(queue);
    }
  });
}

// A LIFO queue goes many times around the ring: every block is filled, emptied by thieves and used again. In
// a FIFO queue that is empty the owner keeps no block to itself.
TYPED_TEST_P(BlockQueue, ThievesTakeOldestFirstAndLeaveTheOwnersBlock) {
  this->in_every_shape([](auto shape) {
    typename TypeParam::Queue queue(shape.blocks, shape.block_size);
    for (std::uint64_t round = 0; round < (TestFixture::kNewestFirst ? 20 : 1); ++round) {
      const std::uint64_t begin = round * shape.capacity();
      const std::uint64_t end = begin + shape.capacity();
      ASSERT_NO_FATAL_FAILURE(TestFixture::fill(queue, begin, end));
      const std::uint64_t kept_begin = TestFixture::kNewestFirst ? end - shape.block_size : begin;
      const std::uint64_t kept_end = kept_begin + shape.block_size;
      if (TestFixture::kNewestFirst) {
        ASSERT_NO_FATAL_FAILURE(TestFixture::expect_all_stolen(queue, begin, kept_begin));
      } else {
        ASSERT_NO_FATAL_FAILURE(TestFixture::expect_all_stolen(queue, kept_end, end));
      }
      ASSERT_NO_FATAL_FAILURE(TestFixture::expect_popped(queue, kept_begin, kept_end));
      TestFixture::expect_nothing_popped(queue);
    }
  });
}

TYPED_TEST_P(BlockQueue, LooksStealableSeesTheShareOfOpenBlocks) {
  typename TypeParam::Queue queue(8, 4);
  for (std::uint64_t i = 0; i < 4 * 3 + 1; ++i)
    ASSERT_TRUE(queue.push(i));  // three blocks beside the owner's
  int stealable = 0;
  for (std::uint64_t sample = 0; sample < 8; ++sample) stealable += queue.looks_stealable(sample) ? 1 : 0;
  EXPECT_EQ(stealable, 3);
  EXPECT_EQ(queue.size_hint(), TestFixture::kNewestFirst ? 12U : 9U);
}

TYPED_TEST_P(BlockQueue, GrantEarlyGivesThievesHalf) {
  typename TypeParam::Queue queue(4, 16);
  EXPECT_FALSE(queue.grant_early()) << "nothing to give";
  ASSERT_TRUE(queue.push(0));
  EXPECT_FALSE(queue.grant_early()) << "the owner needs its only task";
  for (std::uint64_t i = 1; i < 7; ++i) ASSERT_TRUE(queue.push(i));
  ASSERT_TRUE(queue.grant_early());
  EXPECT_TRUE(queue.offers_tasks());
  EXPECT_EQ(queue.counters().grants, 1U);
  // The owner's next tasks stay with it.
  ASSERT_NO_FATAL_FAILURE(TestFixture::expect_all_stolen(queue, TestFixture::kNewestFirst ? 0 : 4,
                                                         TestFixture::kNewestFirst ? 4 : 7));
  ASSERT_NO_FATAL_FAILURE(TestFixture::expect_popped(queue, TestFixture::kNewestFirst ? 4 : 0,
                                                     TestFixture::kNewestFirst ? 7 : 4));
  TestFixture::expect_nothing_popped(queue);
}

TYPED_TEST_P(BlockQueue, GrantEarlyRefusesInAFullQueue) {
  typename TypeParam::Queue queue(2, 2);
  ASSERT_NO_FATAL_FAILURE(TestFixture::fill(queue, 0, 4));
  EXPECT_FALSE(queue.grant_early());
  ASSERT_NO_FATAL_FAILURE(TestFixture::expect_popped(queue, 0, 4));
}

TYPED_TEST_P(BlockQueue, ThievesLoseNothingAndDoubleNothing) {
  struct Crowd {
    std::size_t blocks;
    std::size_t block_size;
    unsigned thieves;
  };
  constexpr std::uint64_t kSeeds = 15;
  for (const auto [blocks, block_size, thieves] :
       {Crowd{2, 1, 2}, Crowd{2, 2, 1}, Crowd{2, 2, 3}, Crowd{3, 1, 3}, Crowd{3, 2, 4}, Crowd{8, 4, 2},
        Crowd{8, 16, 3}}) {
    SCOPED_TRACE(testing::Message() << blocks << " blocks of " << block_size << ", " << thieves
                                    << " thieves");
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      ThievesAtWork<typename TypeParam::Queue, TypeParam::kOrder> work(
          [&, size = block_size, count = blocks] { return TypeParam::make(count, size, seed); }, scaled(8000),
          seed);
      work.run(thieves);
      ASSERT_NO_FATAL_FAILURE(work.expect_every_task_exactly_once_and_in_order());
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(BlockQueue, IsEmptyAtFirst, RefusesSizesOutOfRange,
                            HoldsExactlyItsCapacityAndGivesItBackInOrder,
                            ThievesTakeOldestFirstAndLeaveTheOwnersBlock,
                            LooksStealableSeesTheShareOfOpenBlocks, GrantEarlyGivesThievesHalf,
                            GrantEarlyRefusesInAFullQueue, ThievesLoseNothingAndDoubleNothing);

}  // namespace jackdaw::mark
