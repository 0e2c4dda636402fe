// The LIFO BWoS queue: what it shares with the FIFO queue (block_queue_suite.h), and against a plain model,
// at every boundary and over many rounds.
#include "mark/queue/bwos_lifo.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <thread>
#include <tuple>
#include <vector>

#include "mark/queue/block_ring.h"
#include "mark/queue/queue.h"
#include "mark/random_numbers.h"
#include "tests/mark/block_queue_suite.h"
#include "tests/scaled.h"

namespace jackdaw::mark {
namespace {

using Queue = BwosLifo<std::uint64_t>;
using Outcome = StealOutcome;

static_assert(StealableQueue<Queue>);

struct LifoKind {
  using Queue = BwosLifo<std::uint64_t>;
  static constexpr auto kOrder = PopOrder::newest_first;
  // With an odd seed the owner begins anew as soon as it may, and rounds wrap around.
  static Queue make(std::size_t blocks, std::size_t block_size, std::uint64_t seed) {
    return seed % 2 == 0 ? Queue(blocks, block_size) : Queue(blocks, block_size, 0xfffffffaU, 1);
  }
};
INSTANTIATE_TYPED_TEST_SUITE_P(BwosLifo, BlockQueue, LifoKind);

// Shapes at which something is special: the smallest, odd ones, blocks of one entry, many blocks.
class BwosLifoShapes : public testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {
 protected:
  std::size_t blocks() const { return std::get<0>(GetParam()); }
  std::size_t block_size() const { return std::get<1>(GetParam()); }
  std::size_t capacity() const { return blocks() * block_size(); }
};

// A plain model of the owner's and the thieves' view. It knows where block boundaries are by asking the
// queue's grants and takeovers, and nothing else of the queue.
TEST_P(BwosLifoShapes, FollowsAPlainModelThroughRandomOperations) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    // In every other one the owner begins anew as soon as it may, and rounds wrap around.
    Queue queue(blocks(), block_size(), seed % 2 == 0 ? BlockNumber::kFirstRound : 0xfffffffcU,
                seed % 2 == 0 ? static_cast<std::uint32_t>(blocks()) : 1);
    RandomNumbers random(seed);
    std::deque<std::uint64_t> model;
    std::uint64_t next = 0;
    // Runs of one operation, so that the queue fills, empties and wraps around.
    for (std::size_t run = 0; run < scaled(400); ++run) {
      const std::uint32_t operation = random.below(8);
      for (std::uint32_t i = random.below(static_cast<std::uint32_t>(2 * block_size() + 2)); i > 0; --i) {
        std::uint64_t task = 0;
        if (operation < 3) {
          if (queue.push(next)) model.push_back(next++);
        } else if (operation < 5) {
          ASSERT_EQ(queue.pop(task), !model.empty());
          if (model.empty()) continue;
          ASSERT_EQ(task, model.back());
          model.pop_back();
        } else if (operation < 7) {
          const bool expected = queue.has_stealable();
          ASSERT_EQ(queue.steal(task), expected ? Outcome::taken : Outcome::empty);
          if (!expected) continue;
          ASSERT_EQ(task, model.front());
          model.pop_front();
        } else {
          ASSERT_TRUE(!queue.grant_early() || queue.offers_tasks());
        }
      }
    }
    std::uint64_t task = 0;
    while (!model.empty()) {
      ASSERT_TRUE(queue.pop(task));
      ASSERT_EQ(task, model.back());
      model.pop_back();
    }
    ASSERT_FALSE(queue.pop(task));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, BwosLifoShapes,
                         testing::Values(std::tuple{2, 1}, std::tuple{2, 2}, std::tuple{3, 1},
                                         std::tuple{3, 2}, std::tuple{2, 5}, std::tuple{5, 3},
                                         std::tuple{8, 4}, std::tuple{8, 64}));

TEST(BwosLifo, TheOwnerTakesOverWhatThievesLeft) {
  Queue queue(2, 4);
  for (std::uint64_t i = 0; i < 5; ++i) ASSERT_TRUE(queue.push(i));
  EXPECT_EQ(queue.counters().grants, 1U);
  std::uint64_t task = 0;
  ASSERT_EQ(queue.steal(task), Outcome::taken);
  EXPECT_EQ(task, 0U);
  ASSERT_TRUE(queue.pop(task));
  EXPECT_EQ(task, 4U);
  ASSERT_TRUE(queue.pop(task));
  EXPECT_EQ(task, 3U);
  EXPECT_EQ(queue.counters().takeovers, 1U);
  EXPECT_EQ(queue.steal(task), Outcome::empty) << "the block is the owner's again";
  // Two more fill the block, the third grants it: thieves go on where they were.
  ASSERT_TRUE(queue.push(10));
  ASSERT_TRUE(queue.push(11));
  ASSERT_EQ(queue.steal(task), Outcome::taken);
  EXPECT_EQ(task, 1U);
}

TEST(BwosLifo, ABlockOfWhichThievesTookSomeIsUsedAgainOnlyWhenTheyTookAll) {
  Queue queue(2, 2);
  std::uint64_t task = 0;
  for (std::uint64_t i = 0; i < 4; ++i) ASSERT_TRUE(queue.push(i));
  ASSERT_EQ(queue.steal(task), Outcome::taken);
  EXPECT_FALSE(queue.push(4)) << "block 0 still holds task 1";
  ASSERT_EQ(queue.steal(task), Outcome::taken);
  EXPECT_TRUE(queue.push(4));
}

// Where thieves look first is the block that was last stolen from, whose slot is in its next round by then.
TEST(BwosLifo, ThievesCatchUpWithTheOwnerAlsoWhereRoundsWrapAround) {
  for (const BlockNumber::Round first_round : {BlockNumber::kFirstRound, 0xffffffffU}) {
    Queue queue(2, 1, first_round);
    ASSERT_TRUE(queue.push(0));
    ASSERT_TRUE(queue.push(1));
    for (std::uint64_t i = 0; i < 6; ++i) {
      std::uint64_t task = 0;
      ASSERT_EQ(queue.steal(task), Outcome::taken) << "task " << i << ", first round " << first_round;
      EXPECT_EQ(task, i);
      ASSERT_TRUE(queue.push(i + 2)) << "into the slot of the task that was stolen";
    }
  }
}

TEST(BwosLifo, ThievesWaitForABlockThatTheOwnerTookOverComingFromTheNextRound) {
  Queue queue(2, 1);
  std::uint64_t task = 0;
  ASSERT_TRUE(queue.push(0));
  ASSERT_TRUE(queue.push(1));
  ASSERT_EQ(queue.steal(task), Outcome::taken);
  ASSERT_TRUE(queue.push(2)) << "in the second round of the first slot";
  ASSERT_TRUE(queue.pop(task));
  ASSERT_TRUE(queue.pop(task));
  EXPECT_EQ(task, 1U);
  EXPECT_EQ(queue.steal(task), Outcome::empty);
  ASSERT_TRUE(queue.push(3));
  ASSERT_TRUE(queue.push(4));
  ASSERT_EQ(queue.steal(task), Outcome::taken);
  EXPECT_EQ(task, 3U);
}

TEST(BwosLifo, LooksStealableSamplesTheOldestOfManyBlocks) {
  Queue queue;
  std::uint64_t task = 0;
  std::uint64_t stolen = 0;
  // The thieves' bottom is some way up.
  for (std::uint64_t i = 0; i < 23 * BlockRing::kDefaultBlockSize + 1; ++i) ASSERT_TRUE(queue.push(i));
  const auto stealable = [&] {
    EXPECT_TRUE(queue.has_stealable());
    int blocks = 0;
    for (std::uint64_t sample = 0; sample < kSampledBlocks; ++sample)
      blocks += queue.looks_stealable(sample) ? 1 : 0;
    return blocks;
  };
  for (; stolen < 20 * BlockRing::kDefaultBlockSize + 1; ++stolen) {
    if (stolen <= 15 * BlockRing::kDefaultBlockSize) {
      ASSERT_EQ(stealable(), 8) << stolen;
    }
    ASSERT_EQ(queue.steal(task), Outcome::taken);
  }
  EXPECT_EQ(stealable(), 3);
  EXPECT_EQ(queue.size_hint(), 3 * BlockRing::kDefaultBlockSize - 1);
}

// Thieves take every block, so the owner never comes down by itself.
TEST(BwosLifo, UsesTheSameBlocksAgainHoweverMuchIsStolen) {
  Queue queue;
  std::uint64_t task = 0;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    ASSERT_TRUE(queue.push(2 * i));
    ASSERT_TRUE(queue.push(2 * i + 1));
    ASSERT_TRUE(queue.grant_early());
    ASSERT_EQ(queue.steal(task), Outcome::taken);
    ASSERT_EQ(task, 2 * i);
    ASSERT_TRUE(queue.pop(task));
    ASSERT_EQ(task, 2 * i + 1);
    ASSERT_FALSE(queue.pop(task));
    ASSERT_FALSE(queue.has_stealable());
  }
  EXPECT_LT(queue.memory_bytes(), 16 * BlockRing::kDefaultBlockSize * sizeof(task));
}

TEST(BwosLifo, GivesMemoryBackThatIsNotUsedAnyMore) {
  constexpr std::uint64_t kMany = 100'000;
  constexpr int kRounds = 100;
  Queue queue;
  const std::size_t least = queue.memory_bytes();
  for (int time = 0; time < 3; ++time) {
    std::uint64_t task = 0;
    for (std::uint64_t i = 0; i < kMany; ++i) ASSERT_TRUE(queue.push(i));
    for (std::uint64_t i = kMany; i-- > 0;) {
      ASSERT_TRUE(queue.pop(task));
      ASSERT_EQ(task, i);
    }
    queue.give_memory_back();
    EXPECT_GE(queue.memory_bytes(), kMany * sizeof(task)) << "at once, it may soon be needed again";
    for (int round = 0; round < kRounds; ++round) queue.give_memory_back();
    EXPECT_LE(queue.memory_bytes(), 2 * least);
  }
}

// The queue is as deep as a heap without structure makes it: the owner comes down while thieves come up.
TEST(BwosLifo, ThievesEmptyAFullQueueTogetherWithItsOwner) {
  const std::size_t tasks = scaled(1'000'000);
  Queue queue;
  for (std::uint64_t i = 0; i < tasks; ++i) ASSERT_TRUE(queue.push(i));
  EXPECT_EQ(queue.size_hint(), (tasks - 1) / BlockRing::kDefaultBlockSize * BlockRing::kDefaultBlockSize);
  std::vector<std::atomic<std::uint32_t>> taken(tasks);
  std::vector<std::thread> thieves;
  for (int i = 0; i < 2; ++i) {
    thieves.emplace_back([&] {
      std::uint64_t task = 0;
      for (Outcome outcome = Outcome::taken; outcome != Outcome::empty;) {
        outcome = queue.steal(task);
        if (outcome == Outcome::taken) taken[task].fetch_add(1, std::memory_order_relaxed);
      }
    });
  }
  std::uint64_t before = tasks;
  for (std::uint64_t task = 0; queue.pop(task); before = task) {
    ASSERT_LT(task, before);
    taken[task].fetch_add(1, std::memory_order_relaxed);
  }
  for (std::thread& thief : thieves) thief.join();
  for (std::size_t i = 0; i < tasks; ++i) ASSERT_EQ(taken[i].load(), 1U) << "task " << i;
}

// In its later rounds the owner comes to a large block piece by piece, asking for each piece's memory ahead.
TEST(BwosLifo, KeepsItsOrderInLargeBlocksThatThievesEmptied) {
  for (const std::size_t block_size :
       std::initializer_list<std::size_t>{1, 63, 64, 65, 127, 128, 192, 193, 1000}) {
    Queue queue(3, block_size);
    std::uint64_t next_pushed = 0;
    std::uint64_t next_stolen = 0;
    for (int round = 0; round < 12; ++round) {
      while (queue.push(next_pushed)) ++next_pushed;
      // Down into the top block, and up again to the same height.
      std::uint64_t task = 0;
      const std::size_t down = block_size / 2;
      for (std::size_t i = 0; i < down; ++i) {
        ASSERT_TRUE(queue.pop(task));
        ASSERT_EQ(task, next_pushed - 1 - i);
      }
      for (std::size_t i = down; i > 0; --i) ASSERT_TRUE(queue.push(next_pushed - i));
      while (queue.steal(task) == Outcome::taken) ASSERT_EQ(task, next_stolen++);
    }
    EXPECT_EQ(next_pushed - next_stolen, block_size) << "the top block is not for thieves";
  }
}

// Pieces end where thieves' part of the block ended, which may be anywhere.
TEST(BwosLifo, FillsABlockOfWhichThievesHadAPart) {
  for (const std::uint64_t granted : {1U, 63U, 64U, 65U, 128U, 200U, 499U}) {
    constexpr std::size_t kBlockSize = 1000;
    Queue queue(2, kBlockSize);
    for (std::uint64_t i = 0; i < 2 * granted; ++i) ASSERT_TRUE(queue.push(i));
    ASSERT_TRUE(queue.grant_early());
    std::uint64_t task = 0;
    for (std::uint64_t i = 0; i < granted; ++i) ASSERT_EQ(queue.steal(task), Outcome::taken);
    while (queue.pop(task)) {
    }
    std::uint64_t pushed = 0;
    while (queue.push(pushed)) ++pushed;
    EXPECT_EQ(pushed, 2 * kBlockSize) << granted;
    while (queue.pop(task)) ASSERT_EQ(task, --pushed);
    EXPECT_EQ(pushed, 0U);
  }
}

}  // namespace
}  // namespace jackdaw::mark
