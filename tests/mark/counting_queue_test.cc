// The counting queue: what the owner puts and takes is counted, what thieves took until the queue is empty.
#include "mark/queue/counting.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "mark/queue/bwos_fifo.h"
#include "mark/queue/bwos_lifo.h"
#include "mark/queue/chase_lev.h"
#include "mark/queue/sequential_lifo.h"

namespace jackdaw::mark {
namespace {

using CountingBwos = CountingQueue<BwosLifo<std::uint64_t>>;
using CountingChaseLev = CountingQueue<ChaseLevDeque<std::uint64_t>>;

static_assert(StealableQueue<CountingBwos> && CountsTasks<CountingBwos>);
static_assert(RandomizedStealing<CountingQueue<BwosFifo<std::uint64_t>>>, "it can do what the queue can");
static_assert(!RandomizedStealing<CountingChaseLev>);
static_assert(!CountsTasks<BwosLifo<std::uint64_t>>);
static_assert(!CountingQueue<SequentialLifo<std::uint64_t>>::kServesThieves);

TEST(CountingQueue, FollowsTheOwner) {
  CountingBwos queue(2, 4);
  std::uint64_t task = 0;
  EXPECT_EQ(queue.task_count(), 0U);
  for (std::uint64_t i = 1; i <= 6; ++i) {
    ASSERT_TRUE(queue.push(i));
    EXPECT_EQ(queue.task_count(), i);
  }
  for (std::uint64_t i = 6; i >= 1; --i) {
    ASSERT_TRUE(queue.pop(task));
    EXPECT_EQ(task, i);
    EXPECT_EQ(queue.task_count(), i - 1);
  }
  EXPECT_FALSE(queue.pop(task));
  EXPECT_EQ(queue.task_count(), 0U);
}

TEST(CountingQueue, WhatFindsNoRoomDoesNotCount) {
  CountingBwos queue(2, 4);
  for (std::uint64_t i = 0; i < 8; ++i) ASSERT_TRUE(queue.push(i));
  EXPECT_FALSE(queue.push(8));
  EXPECT_EQ(queue.task_count(), 8U);
}

TEST(CountingQueue, StolenTasksCountUntilTheQueueIsSeenEmpty) {
  CountingChaseLev queue(2, 4);
  std::uint64_t task = 0;
  for (std::uint64_t i = 0; i < 5; ++i) ASSERT_TRUE(queue.push(i));
  ASSERT_EQ(queue.steal(task), StealOutcome::taken);
  ASSERT_EQ(queue.steal(task), StealOutcome::taken);
  EXPECT_EQ(queue.task_count(), 5U);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue.pop(task));
  EXPECT_EQ(queue.task_count(), 2U) << "the two that were stolen";
  ASSERT_FALSE(queue.pop(task));
  EXPECT_EQ(queue.task_count(), 0U);
  ASSERT_TRUE(queue.push(9));
  EXPECT_EQ(queue.task_count(), 1U);
}

}  // namespace
}  // namespace jackdaw::mark
