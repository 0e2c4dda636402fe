// The Chase-Lev deque's own behaviour: it grows, and keeps its old arrays. That it is full only without
// memory is for chase_lev_memory_test.cc.
#include "bench/queues/chase_lev.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace jackdaw::bench {
namespace {

using Queue = ChaseLevDeque<std::uint64_t>;
using Outcome = mark::StealOutcome;

std::size_t bytes_of(std::size_t tasks) { return tasks * sizeof(std::uint64_t); }

TEST(ChaseLevDeque, WorksFromRoomForOne) {
  Queue queue(1, 1);
  std::uint64_t task = 0;
  for (std::uint64_t i = 1; i < 10; ++i) {
    ASSERT_TRUE(queue.push(i));
    ASSERT_TRUE(queue.pop(task));
    EXPECT_EQ(task, i);
    EXPECT_FALSE(queue.pop(task));
    EXPECT_FALSE(queue.pop(task)) << "an empty pop changes nothing";
    ASSERT_TRUE(queue.push(10 * i));
    ASSERT_EQ(queue.steal(task), Outcome::taken);
    EXPECT_EQ(task, 10 * i);
    EXPECT_EQ(queue.steal(task), Outcome::empty);
  }
  EXPECT_EQ(queue.memory_bytes(), bytes_of(1)) << "one task at a time needs no second place";
}

TEST(ChaseLevDeque, AnEmptyPopOfANewQueueMovesNoIndexBelowZero) {
  Queue queue(1, 2);
  std::uint64_t task = 0;
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(queue.pop(task));
  EXPECT_EQ(queue.size_hint(), 0U);
  EXPECT_EQ(queue.steal(task), Outcome::empty);
  ASSERT_TRUE(queue.push(1));
  ASSERT_EQ(queue.steal(task), Outcome::taken);
  EXPECT_FALSE(queue.pop(task)) << "the owner has not seen the steal yet";
  EXPECT_FALSE(queue.pop(task));
  EXPECT_EQ(queue.size_hint(), 0U);
}

TEST(ChaseLevDeque, GrowsAndKeepsItsTasksInOrder) {
  Queue queue(1, 2);
  std::uint64_t task = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_TRUE(queue.push(i));
  EXPECT_EQ(queue.memory_bytes(), bytes_of(2 + 4 + 8 + 16 + 32 + 64 + 128 + 256 + 512 + 1024));
  for (std::uint64_t i = 0; i < 500; ++i) {
    ASSERT_EQ(queue.steal(task), Outcome::taken);
    ASSERT_EQ(task, i);
  }
  for (std::uint64_t i = 1000; i-- > 500;) {
    ASSERT_TRUE(queue.pop(task));
    ASSERT_EQ(task, i);
  }
  EXPECT_FALSE(queue.pop(task));
}

TEST(ChaseLevDeque, GrowsWhenItsTasksLieAroundTheEnd) {
  // The array grows with its oldest task at every place.
  for (std::uint64_t stolen = 0; stolen < 8; ++stolen) {
    Queue queue(1, 8);
    std::uint64_t task = 0;
    for (std::uint64_t i = 0; i < stolen; ++i) {
      ASSERT_TRUE(queue.push(i));
      ASSERT_EQ(queue.steal(task), Outcome::taken);
    }
    for (std::uint64_t i = stolen; i < stolen + 9; ++i) ASSERT_TRUE(queue.push(i));
    EXPECT_EQ(queue.memory_bytes(), bytes_of(8 + 16));
    ASSERT_EQ(queue.steal(task), Outcome::taken);
    EXPECT_EQ(task, stolen);
    for (std::uint64_t i = stolen + 9; i-- > stolen + 1;) {
      ASSERT_TRUE(queue.pop(task));
      EXPECT_EQ(task, i);
    }
  }
}

TEST(ChaseLevDeque, UsesPlacesAgainInsteadOfGrowing) {
  Queue queue(1, 4);
  std::uint64_t task = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    ASSERT_TRUE(queue.push(i));
    if (i >= 3) {
      ASSERT_EQ(queue.steal(task), Outcome::taken);
      ASSERT_EQ(task, i - 3);
    }
  }
  EXPECT_EQ(queue.memory_bytes(), bytes_of(4));
}

TEST(ChaseLevDeque, RoundsItsFirstCapacityUpToAPowerOfTwo) {
  EXPECT_EQ(Queue(1, 1).memory_bytes(), bytes_of(1));
  EXPECT_EQ(Queue(1, 2).memory_bytes(), bytes_of(2));
  EXPECT_EQ(Queue(3, 1).memory_bytes(), bytes_of(4));
  EXPECT_EQ(Queue(5, 5).memory_bytes(), bytes_of(32));
  EXPECT_EQ(Queue(8, 8).memory_bytes(), bytes_of(64));
}

TEST(ChaseLevDeque, LooksFullToEverySampleWhenItHasGrown) {
  Queue queue(4, 2);
  for (std::uint64_t i = 0; i < 50; ++i) ASSERT_TRUE(queue.push(i));
  for (std::uint64_t sample = 0; sample < 8; ++sample) EXPECT_TRUE(queue.looks_stealable(sample));
}

}  // namespace
}  // namespace jackdaw::bench
