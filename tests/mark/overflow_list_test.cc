// The overflow list: a stack across segments, and the memory it holds.
#include "mark/overflow_list.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "bench/queues/chase_lev.h"
#include "mark/queue/bwos_lifo.h"
#include "mark/random_numbers.h"

namespace jackdaw::mark {
namespace {

using List = OverflowList<std::uint64_t>;

TEST(OverflowList, IsAStackAcrossSegments) {
  List list;
  const std::uint64_t count = 5 * List::kSegmentTasks + 3;
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_TRUE(list.push(i));
  EXPECT_EQ(list.size(), count);
  std::uint64_t task = 0;
  for (std::uint64_t i = count; i-- > 0;) {
    ASSERT_TRUE(list.pop(task));
    ASSERT_EQ(task, i);
  }
  EXPECT_FALSE(list.pop(task));
  EXPECT_TRUE(list.empty());
}

TEST(OverflowList, FollowsAVectorAroundSegmentEdges) {
  List list;
  std::vector<std::uint64_t> model;
  RandomNumbers random(7);
  for (std::uint64_t step = 0; step < 200; ++step) {
    for (std::uint32_t i = random.below(2 * List::kSegmentTasks); i > 0; --i) {
      ASSERT_TRUE(list.push(step));
      model.push_back(step);
    }
    for (std::uint32_t i = random.below(2 * List::kSegmentTasks); i > 0 && !model.empty(); --i) {
      std::uint64_t task = 0;
      ASSERT_TRUE(list.pop(task));
      ASSERT_EQ(task, model.back());
      model.pop_back();
    }
    ASSERT_EQ(list.size(), model.size());
  }
}

TEST(OverflowList, HoldsNoMoreMemoryThanItsTasksAndASpareNeed) {
  List list;
  EXPECT_EQ(list.memory_bytes(), 0U);
  for (std::uint64_t i = 0; i < 10 * List::kSegmentTasks; ++i) ASSERT_TRUE(list.push(i));
  const std::size_t full = list.memory_bytes();
  EXPECT_GE(full, 10 * List::kSegmentTasks * sizeof(std::uint64_t));
  std::uint64_t task = 0;
  while (list.pop(task)) {
  }
  EXPECT_LE(list.memory_bytes(), full / 5);
  EXPECT_EQ(list.peak_memory_bytes(), full);
  list.release_memory();
  EXPECT_LE(list.memory_bytes(), full / 10) << "one segment stays";
  EXPECT_EQ(list.peak_memory_bytes(), list.memory_bytes());
  ASSERT_TRUE(list.push(1));
  ASSERT_TRUE(list.pop(task));
  EXPECT_EQ(task, 1U);
}

TEST(OverflowList, HandsBackUntilABlockIsGranted) {
  OverflowList<int> list;
  BwosLifo<int> queue(4, 8);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(list.push(i));
  queue.push(-1);
  list.hand_back(queue, 9);
  EXPECT_TRUE(queue.offers_tasks());
  EXPECT_EQ(list.size(), 92U) << "seven fill the block, one more has it granted";
  for (int newest = 92; newest < 100; ++newest) {
    int task = 0;
    ASSERT_TRUE(queue.pop(task));
    EXPECT_EQ(task, newest);
  }
}

TEST(OverflowList, HandsBackNoMoreThanAQueueHolds) {
  OverflowList<int> list;
  BwosLifo<int> queue(2, 2);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(list.push(i));
  int pushed = 0;
  while (queue.push(100 + pushed)) ++pushed;
  list.hand_back(queue, 3);
  EXPECT_EQ(list.size(), 10U);
  for (int expected = 9; expected >= 0; --expected) {
    int task = 0;
    ASSERT_TRUE(list.pop(task));
    EXPECT_EQ(task, expected);
  }
}

TEST(OverflowList, HandsBackABlocksWorthToAQueueWithoutBlocks) {
  OverflowList<int> list;
  bench::ChaseLevDeque<int> queue(4, 8);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(list.push(i));
  list.hand_back(queue, 9);
  EXPECT_EQ(list.size(), 91U);
  EXPECT_EQ(queue.size_hint(), 9U);
}

}  // namespace
}  // namespace jackdaw::mark
