// The prefetch buffer: first in, first out, and nothing lost when filling and draining take turns.
#include "mark/prefetch_buffer.h"

#include <gtest/gtest.h>

#include <deque>

#include "mark/random_numbers.h"

namespace jackdaw::mark {
namespace {

TEST(PrefetchBuffer, DelaysTasksByItsDepth) {
  PrefetchBuffer<int, 4> buffer;
  for (int i = 0; i < 4; ++i) {
    int task = i;
    EXPECT_FALSE(buffer.exchange(task));
  }
  for (int i = 4; i < 50; ++i) {
    int task = i;
    ASSERT_TRUE(buffer.exchange(task));
    EXPECT_EQ(task, i - 4);
  }
  int task = 0;
  for (int i = 46; i < 50; ++i) {
    ASSERT_TRUE(buffer.take(task));
    EXPECT_EQ(task, i);
  }
  EXPECT_FALSE(buffer.take(task));
}

TEST(PrefetchBuffer, FollowsADeque) {
  PrefetchBuffer<int, 8> buffer;
  std::deque<int> model;
  RandomNumbers random(3);
  for (int i = 0; i < 10000; ++i) {
    int task = i;
    ASSERT_EQ(buffer.size(), model.size());
    ASSERT_EQ(buffer.is_full(), model.size() == 8);
    if (!buffer.is_full() && random.below(4) == 0) {
      model.push_back(i);
      buffer.put(i);
      continue;
    }
    if (random.below(2) == 0) {
      model.push_back(i);
      const bool full = model.size() > 8;
      ASSERT_EQ(buffer.exchange(task), full);
      if (!full) continue;
    } else {
      ASSERT_EQ(buffer.take(task), !model.empty());
      if (model.empty()) continue;
    }
    ASSERT_EQ(task, model.front());
    model.pop_front();
  }
}

// Changes by an Exchanging reach the buffer at its end, and tasks put in between two of them are kept.
TEST(PrefetchBuffer, IsFilledAndEmptiedInRegisters) {
  PrefetchBuffer<int, 8> buffer;
  for (int i = 0; i < 6; ++i) buffer.put(i);
  PrefetchBuffer<int, 8>::Exchanging ring(buffer);
  EXPECT_EQ(ring.task_after(5), 5);
  ring.put(6);
  ring.put(7);
  EXPECT_TRUE(ring.is_full());
  ring.drop_oldest(3);
  EXPECT_FALSE(ring.is_full());
  ring.end();
  EXPECT_EQ(buffer.size(), 5U);
  buffer.put(8);
  ring.begin();
  EXPECT_EQ(ring.size(), 6U);
  ring.put(9);
  ring.end();
  for (int i = 3; i < 10; ++i) EXPECT_EQ(buffer.take_oldest(), i);
  EXPECT_EQ(buffer.size(), 0U);
}

TEST(PrefetchBuffer, AsksOnEntryForThoseThatLeaveFirst) {
  PrefetchBuffer<int, 8> buffer;
  PrefetchBuffer<int, 8>::Exchanging ring(buffer);
  for (int i = 0; i < 8; ++i) {
    EXPECT_TRUE(ring.asks_on_entry()) << "unless told otherwise";
    ring.put(i);
  }
  ring.drop_oldest(8);
  ring.ask_on_entry(2);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(ring.asks_on_entry(), i < 2);
    ring.put(i);
  }
}

}  // namespace
}  // namespace jackdaw::mark
