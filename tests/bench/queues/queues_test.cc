// All queues on one thread: what the concept asks of each, against a plain model.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <stdexcept>

#include "mark/random_numbers.h"
#include "tests/bench/queues/queue_kinds.h"
#include "tests/scaled.h"

namespace jackdaw::bench {
namespace {

using Outcome = mark::StealOutcome;

struct QueueShape {
  std::size_t blocks;
  std::size_t block_size;

  [[nodiscard]] std::size_t capacity() const { return blocks * block_size; }
};

// Shapes at which something is special: the smallest, odd ones, blocks of one entry, many blocks.
constexpr QueueShape kShapes[] = {{2, 1}, {2, 2}, {3, 1}, {3, 2}, {2, 5}, {5, 3}, {8, 4}, {8, 64}};

// A queue and beside it the tasks that it should hold, oldest first. Each operation checks that they agree.
template <typename Kind>
class QueueAndModel {
 public:
  static_assert(mark::StealableQueue<typename Kind::Queue>);
  static_assert(Kind::Queue::kServesThieves == (Kind::kReach != Reach::nothing));

  explicit QueueAndModel(QueueShape shape) : shape_(shape), queue_(shape.blocks, shape.block_size) {}

  typename Kind::Queue& queue() { return queue_; }
  [[nodiscard]] std::size_t size() const { return model_.size(); }

  // Whether there was room.
  bool push() {
    const bool pushed = queue_.push(next_);
    if constexpr (Kind::kBound == Bound::capacity) {
      EXPECT_EQ(pushed, model_.size() < shape_.capacity());
    } else if constexpr (Kind::kBound == Bound::memory) {
      EXPECT_TRUE(pushed);
    } else {
      EXPECT_TRUE(!pushed || model_.size() < shape_.capacity());
    }
    if (pushed) model_.push_back(next_++);
    return pushed;
  }

  // Whether there was a task.
  bool pop() {
    std::uint64_t task = 0;
    const bool popped = queue_.pop(task);
    EXPECT_EQ(popped, !model_.empty());
    if (!popped) return false;
    if constexpr (Kind::kOrder == PopOrder::newest_first) {
      EXPECT_EQ(task, model_.back());
      model_.pop_back();
    } else {
      EXPECT_EQ(task, model_.front());
      model_.pop_front();
    }
    return true;
  }

  void steal() {
    const bool expected = expect_to_steal();
    std::uint64_t task = 0;
    EXPECT_EQ(queue_.steal(task), expected ? Outcome::taken : Outcome::empty);
    if (expected) expect_stolen(task);
  }

  void steal_some(std::size_t most) {
    const bool expected = expect_to_steal();
    std::array<std::uint64_t, 8> room{};
    const mark::BatchSteal stolen = queue_.steal_some(std::span(room).first(most));
    EXPECT_EQ(stolen.outcome, expected ? Outcome::taken : Outcome::empty);
    EXPECT_EQ(stolen.count > 0, expected);
    EXPECT_LE(stolen.count, most);
    if constexpr (Kind::kReach == Reach::everything) {
      EXPECT_EQ(stolen.count, std::min(most, (size() + 1) / 2));
    }
    EXPECT_TRUE(std::is_sorted(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(stolen.count)));
    for (std::size_t i = 0; i < stolen.count; ++i) expect_stolen(room[i]);
  }

  void grant_early() {
    const bool granted = queue_.grant_early();
    EXPECT_TRUE(!granted || Kind::kReach == Reach::granted_blocks);
    EXPECT_TRUE(!granted || queue_.offers_tasks());
  }

  // At rest, hints are exact where all tasks can be stolen, and where none can.
  void expect_exact_hints() {
    if constexpr (Kind::kReach == Reach::granted_blocks) return;
    const std::size_t reachable = Kind::kReach == Reach::everything ? size() : 0;
    EXPECT_EQ(queue_.size_hint(), reachable);
    EXPECT_EQ(queue_.has_stealable(), reachable > 0);
    EXPECT_EQ(queue_.offers_tasks(), reachable > 0);
    std::size_t stealable = 0;
    for (std::uint64_t sample = 0; sample < shape_.blocks; ++sample) {
      stealable += queue_.looks_stealable(sample) ? 1 : 0;
      EXPECT_EQ(queue_.looks_stealable(sample), queue_.looks_stealable(sample + 7 * shape_.blocks));
    }
    EXPECT_EQ(stealable, std::min(shape_.blocks, (reachable + shape_.block_size - 1) / shape_.block_size));
  }

 private:
  [[nodiscard]] bool expect_to_steal() {
    if constexpr (Kind::kReach == Reach::granted_blocks) return queue_.has_stealable();
    return Kind::kReach == Reach::everything && !model_.empty();
  }

  // The oldest task; but in a queue in blocks whose owner holds the oldest block, the oldest of another one.
  void expect_stolen(std::uint64_t task) {
    if constexpr (Kind::kOrder == PopOrder::newest_first) {
      ASSERT_FALSE(model_.empty());
      EXPECT_EQ(task, model_.front());
    }
    const auto found = std::find(model_.begin(), model_.end(), task);
    ASSERT_NE(found, model_.end()) << "task " << task << " is not in the queue";
    model_.erase(found);
  }

  const QueueShape shape_;
  typename Kind::Queue queue_;
  std::deque<std::uint64_t> model_;
  std::uint64_t next_ = 1;
};

template <typename Kind>
class Queues : public testing::Test {};
TYPED_TEST_SUITE(Queues, AllKinds, KindName);

TYPED_TEST(Queues, AreEmptyWhenNew) {
  for (const QueueShape shape : kShapes) {
    QueueAndModel<TypeParam> pair(shape);
    EXPECT_FALSE(pair.pop());
    pair.steal();
    pair.steal_some(4);
    pair.grant_early();
    EXPECT_FALSE(pair.queue().has_stealable());
    EXPECT_FALSE(pair.queue().offers_tasks());
    EXPECT_EQ(pair.queue().size_hint(), 0U);
    for (std::uint64_t sample = 0; sample < 16; ++sample) EXPECT_FALSE(pair.queue().looks_stealable(sample));
  }
}

TYPED_TEST(Queues, RefuseSizesOutOfRange) {
  using Queue = typename TypeParam::Queue;
  EXPECT_THROW(Queue(0, 4), std::invalid_argument);
  EXPECT_THROW(Queue(4, 0), std::invalid_argument);
  EXPECT_THROW(Queue(std::size_t{1} << 32, 1), std::invalid_argument);
  EXPECT_THROW(Queue(std::size_t{1} << 32, std::size_t{1} << 32), std::invalid_argument);
}

TYPED_TEST(Queues, HoldWhatTheirBlocksHoldAndGiveItBackInOrder) {
  for (const QueueShape shape : kShapes) {
    QueueAndModel<TypeParam> pair(shape);
    for (std::size_t round = 0; round < 5; ++round) {
      for (std::size_t i = 0; i < shape.capacity(); ++i) ASSERT_TRUE(pair.push());
      if (TypeParam::kBound != Bound::memory) {
        EXPECT_FALSE(pair.push());
        EXPECT_FALSE(pair.push());
      }
      EXPECT_GE(pair.queue().memory_bytes(), shape.capacity() * sizeof(std::uint64_t));
      while (pair.size() > 0) ASSERT_TRUE(pair.pop());
      EXPECT_FALSE(pair.pop());
    }
  }
}

TYPED_TEST(Queues, TakeTasksAgainAfterThievesTookAll) {
  for (const QueueShape shape : kShapes) {
    QueueAndModel<TypeParam> pair(shape);
    for (std::size_t round = 0; round < 5; ++round) {
      while (pair.size() < shape.capacity() && pair.push()) {
      }
      while (pair.queue().has_stealable()) pair.steal();
      while (pair.pop()) {
      }
      ASSERT_TRUE(pair.push());
      ASSERT_TRUE(pair.pop());
    }
  }
}

TYPED_TEST(Queues, FollowAPlainModelThroughRandomOperations) {
  for (const QueueShape shape : kShapes) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      QueueAndModel<TypeParam> pair(shape);
      mark::RandomNumbers random(seed);
      // Runs of one operation, so that the queue fills, empties and wraps around.
      for (std::size_t run = 0; run < mark::scaled(300); ++run) {
        const std::uint32_t operation = random.below(10);
        for (auto i = random.below(static_cast<std::uint32_t>(2 * shape.block_size + 2)); i > 0; --i) {
          if (operation < 4) {
            pair.push();
          } else if (operation < 6) {
            pair.pop();
          } else if (operation < 8) {
            pair.steal();
          } else if (operation < 9) {
            pair.steal_some(1 + random.below(8));
          } else {
            pair.grant_early();
          }
        }
        pair.expect_exact_hints();
        ASSERT_FALSE(this->HasFailure()) << "seed " << seed << ", run " << run;
      }
      while (pair.pop()) {
      }
      EXPECT_EQ(pair.size(), 0U);
    }
  }
}

TYPED_TEST(Queues, GiveBatchesOfTheSizeThatTheConceptSays) {
  for (std::size_t tasks = 0; tasks <= 8; ++tasks) {
    for (std::size_t most = 1; most <= 8; ++most) {
      QueueAndModel<TypeParam> pair({4, 4});
      for (std::size_t i = 0; i < tasks; ++i) ASSERT_TRUE(pair.push());
      pair.steal_some(most);
      pair.expect_exact_hints();
      while (pair.pop()) {
      }
      EXPECT_EQ(pair.size(), 0U);
    }
  }
}

}  // namespace
}  // namespace jackdaw::bench
