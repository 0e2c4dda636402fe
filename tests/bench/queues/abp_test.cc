// The ABP deque's own behaviour: its array's space is free again only when the owner finds it empty.
#include "bench/queues/abp.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace jackdaw::bench {
namespace {

using Queue = AbpDeque<std::uint64_t>;
using Outcome = mark::StealOutcome;

TEST(AbpDeque, WorksWithRoomForOne) {
  Queue queue(1, 1);
  std::uint64_t task = 0;
  for (std::uint64_t i = 1; i < 10; ++i) {
    ASSERT_TRUE(queue.push(i));
    EXPECT_FALSE(queue.push(99));
    ASSERT_TRUE(queue.pop(task));
    EXPECT_EQ(task, i);
    EXPECT_FALSE(queue.pop(task));
    ASSERT_TRUE(queue.push(10 * i));
    ASSERT_EQ(queue.steal(task), Outcome::taken);
    EXPECT_EQ(task, 10 * i);
    EXPECT_FALSE(queue.pop(task));
  }
}

TEST(AbpDeque, IsFullAtTheEndOfTheArrayAlthoughThievesEmptiedIt) {
  Queue queue(2, 2);
  std::uint64_t task = 0;
  for (std::uint64_t i = 0; i < 4; ++i) ASSERT_TRUE(queue.push(i));
  for (std::uint64_t i = 0; i < 4; ++i) ASSERT_EQ(queue.steal(task), Outcome::taken);
  EXPECT_FALSE(queue.push(4)) << "the known weakness";
  EXPECT_FALSE(queue.has_stealable());
  EXPECT_FALSE(queue.pop(task));
  for (std::uint64_t i = 4; i < 8; ++i) EXPECT_TRUE(queue.push(i)) << "an empty pop starts again";
}

TEST(AbpDeque, StartsAgainWhenTheOwnerTakesItsLastTask) {
  Queue queue(1, 3);
  std::uint64_t task = 0;
  for (std::uint64_t i = 0; i < 3; ++i) ASSERT_TRUE(queue.push(i));
  ASSERT_EQ(queue.steal(task), Outcome::taken);
  ASSERT_EQ(queue.steal(task), Outcome::taken);
  ASSERT_TRUE(queue.pop(task));
  EXPECT_EQ(task, 2U);
  for (std::uint64_t i = 3; i < 6; ++i) ASSERT_TRUE(queue.push(i));
  EXPECT_FALSE(queue.push(6));
  ASSERT_EQ(queue.steal(task), Outcome::taken);
  EXPECT_EQ(task, 3U);
}

TEST(AbpDeque, StealsFromTheStartAfterManyStarts) {
  Queue queue(1, 2);
  std::array<std::uint64_t, 2> room{};
  std::uint64_t task = 0;
  for (std::uint64_t tag = 0; tag < 1000; ++tag) {
    ASSERT_TRUE(queue.push(2 * tag));
    ASSERT_TRUE(queue.push(2 * tag + 1));
    const mark::BatchSteal stolen = queue.steal_some(room);
    ASSERT_EQ(stolen.count, 1U);
    ASSERT_EQ(room[0], 2 * tag);
    ASSERT_TRUE(queue.pop(task));
    ASSERT_EQ(task, 2 * tag + 1);
    ASSERT_EQ(queue.size_hint(), 0U);
  }
}

TEST(AbpDeque, HoldsTheMemoryOfItsArray) {
  EXPECT_EQ(Queue(3, 5).memory_bytes(), 15 * sizeof(std::uint64_t));
}

}  // namespace
}  // namespace jackdaw::bench
