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

}  // namespace
}  // namespace jackdaw::mark
