// The overflow list: a stack across segments, and the memory it holds.
#include "mark/overflow_list.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "mark/random_numbers.h"

namespace jackdaw::mark {
namespace {

using List = OverflowList<std::uint64_t>;

TEST(OverflowList, IsAStackAcrossSegments) {
  List list;
  const std::uint64_t count = 5 * List::kSegmentTasks + 3;
  for (std::uint64_t i = 0; i < count; ++i) list.push(i);
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
      list.push(step);
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
  for (std::uint64_t i = 0; i < 10 * List::kSegmentTasks; ++i) list.push(i);
  const std::size_t full = list.memory_bytes();
  EXPECT_GE(full, 10 * List::kSegmentTasks * sizeof(std::uint64_t));
  std::uint64_t task = 0;
  while (list.pop(task)) {
  }
  EXPECT_LE(list.memory_bytes(), full / 5);
  EXPECT_EQ(list.peak_memory_bytes(), full);
  list.release_memory();
  EXPECT_EQ(list.memory_bytes(), 0U);
  EXPECT_EQ(list.peak_memory_bytes(), 0U);
  list.push(1);
  ASSERT_TRUE(list.pop(task));
  EXPECT_EQ(task, 1U);
}

}  // namespace
}  // namespace jackdaw::mark
