// The FIFO BWoS queue: what it shares with the LIFO queue (block_queue_suite.h), and against a plain model,
// at every boundary and over many rounds.
//
// That rounds wrap around after 2^32 of them is out of a test's reach.
#include "bench/queues/bwos_fifo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <iterator>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "mark/queue/block_ring.h"
#include "mark/queue/queue.h"
#include "mark/random_numbers.h"
#include "tests/mark/block_queue_suite.h"
#include "tests/scaled.h"

namespace jackdaw::bench {
namespace {

using Queue = BwosFifo<std::uint64_t>;
using Outcome = mark::StealOutcome;

static_assert(mark::StealableQueue<Queue>);
static_assert(mark::RandomizedStealing<Queue>);

struct FifoKind {
  using Queue = BwosFifo<std::uint64_t>;
  static constexpr auto kOrder = mark::PopOrder::oldest_first;
  static Queue make(std::size_t blocks, std::size_t block_size, std::uint64_t) {
    return Queue(blocks, block_size);
  }
};

// A simple model of the queue: a list of blocks that only grows, in which tasks disappear.
class Model {
 public:
  Model(std::size_t blocks, std::size_t block_size) : ring_(blocks), block_size_(block_size), all_(1) {}

  bool push(std::uint64_t task) {
    if (all_.back().put == block_size_ && !open()) return false;
    put(task);
    return true;
  }

  bool pop(std::uint64_t& task) {
    const std::size_t block = oldest_from(front_);
    if (block == all_.size()) return false;
    if (block != front_) ++counters_.takeovers;
    front_ = block;
    task = take(block);
    return true;
  }

  // Up to `most` tasks of the oldest block that thieves may take from.
  std::vector<std::uint64_t> steal(std::size_t most) {
    const std::size_t block = oldest_from(front_ + 1);
    return block == all_.size() ? std::vector<std::uint64_t>{} : take_some(block, most);
  }
  // Up to `most` tasks of the newest block in the slot that the sample picks.
  std::vector<std::uint64_t> steal_sampled(std::uint64_t sample, std::size_t most) {
    return looks_stealable(sample) ? take_some(newest_in_slot(sample), most) : std::vector<std::uint64_t>{};
  }

  bool grant_early() {
    std::deque<std::uint64_t>& from = all_[front_].tasks;
    if (from.size() < 2 || size_hint() != 0) return false;
    if ((front_ + 1 == all_.size() || all_.back().put == block_size_) && !open()) return false;
    std::deque<std::uint64_t>& held = all_[front_].tasks;
    const std::size_t given = std::min(held.size() / 2, block_size_ - all_.back().put);
    const std::vector<std::uint64_t> newest(held.end() - static_cast<std::ptrdiff_t>(given), held.end());
    held.resize(held.size() - given);
    for (const std::uint64_t task : newest) put(task);
    return true;
  }

  bool looks_stealable(std::uint64_t sample) const {
    const std::size_t block = newest_in_slot(sample);
    return block < all_.size() && block > front_ && !all_[block].tasks.empty();
  }
  std::size_t size_hint() const {
    std::size_t size = 0;
    for (std::size_t block = front_ + 1; block < all_.size(); ++block) size += all_[block].tasks.size();
    return size;
  }
  mark::QueueCounters counters() const { return counters_; }

 private:
  struct Block {
    std::deque<std::uint64_t> tasks;
    std::size_t put = 0;
  };

  // The next block can be opened when the one before it in its slot has nothing left.
  bool open() {
    if (all_.size() >= ring_ && !all_[all_.size() - ring_].tasks.empty()) return false;
    all_.emplace_back();
    ++counters_.grants;
    return true;
  }
  void put(std::uint64_t task) {
    all_.back().tasks.push_back(task);
    ++all_.back().put;
  }
  std::uint64_t take(std::size_t block) {
    const std::uint64_t task = all_[block].tasks.front();
    all_[block].tasks.pop_front();
    return task;
  }
  std::vector<std::uint64_t> take_some(std::size_t block, std::size_t most) {
    std::vector<std::uint64_t> taken(std::min(most, all_[block].tasks.size()));
    for (std::uint64_t& task : taken) task = take(block);
    return taken;
  }
  // The oldest block from `first` on that has a task; all_.size() if none has.
  std::size_t oldest_from(std::size_t first) const {
    std::size_t block = first;
    while (block < all_.size() && all_[block].tasks.empty()) ++block;
    return block;
  }
  // all_.size() when the slot was never used.
  std::size_t newest_in_slot(std::uint64_t sample) const {
    for (std::size_t block = all_.size(); block-- > 0;) {
      if (block % ring_ == sample % ring_) return block;
    }
    return all_.size();
  }

  const std::size_t ring_;
  const std::size_t block_size_;
  std::vector<Block> all_;
  std::size_t front_ = 0;
  mark::QueueCounters counters_;
};

// One operation on both, which must agree on all that it returns.
class SideBySide {
 public:
  SideBySide(std::size_t blocks, std::size_t block_size, std::uint64_t seed)
      : blocks_(blocks), queue_(blocks, block_size), model_(blocks, block_size), random_(seed) {}

  void push() {
    const bool room = model_.push(next_);
    ASSERT_EQ(queue_.push(next_), room);
    if (room) ++next_;
  }
  void pop() {
    std::uint64_t task = 0;
    std::uint64_t expected = 0;
    const bool some = model_.pop(expected);
    ASSERT_EQ(queue_.pop(task), some);
    ASSERT_EQ(task, expected);
  }
  void steal() {
    std::uint64_t task = 0;
    const Outcome outcome = queue_.steal(task);
    expect_stolen(model_.steal(1), {outcome, outcome == Outcome::taken ? 1U : 0U}, {&task, 1});
  }
  void steal_some() {
    const std::span<std::uint64_t> room = some_room();
    expect_stolen(model_.steal(room.size()), queue_.steal_some(room), room);
  }
  void steal_sampled() {
    if (!knows_samples()) return steal();
    const std::uint64_t sample = random_.next();
    std::uint64_t task = 0;
    const Outcome outcome = queue_.steal_sampled(sample, task);
    expect_stolen(model_.steal_sampled(sample, 1), {outcome, outcome == Outcome::taken ? 1U : 0U},
                  {&task, 1});
  }
  void steal_some_sampled() {
    if (!knows_samples()) return steal_some();
    const std::uint64_t sample = random_.next();
    const std::span<std::uint64_t> room = some_room();
    expect_stolen(model_.steal_sampled(sample, room.size()), queue_.steal_some_sampled(sample, room), room);
  }
  void grant_early() { ASSERT_EQ(queue_.grant_early(), model_.grant_early()); }

  void expect_same_view() {
    const std::size_t size = model_.size_hint();
    ASSERT_EQ(queue_.size_hint(), size);
    ASSERT_EQ(queue_.has_stealable(), size != 0);
    ASSERT_EQ(queue_.offers_tasks(), size != 0);
    for (std::uint64_t sample = 0; knows_samples() && sample < blocks_; ++sample)
      ASSERT_EQ(queue_.looks_stealable(sample), model_.looks_stealable(sample)) << sample;
    ASSERT_EQ(queue_.counters().grants, model_.counters().grants);
    ASSERT_EQ(queue_.counters().takeovers, model_.counters().takeovers);
  }

  // Runs of one operation, so that the queue fills, empties and wraps around.
  void run_of_one_operation(std::uint32_t longest) {
    using Operation = void (SideBySide::*)();
    static constexpr Operation kOperations[] = {&SideBySide::push,          &SideBySide::push,
                                                &SideBySide::push,          &SideBySide::pop,
                                                &SideBySide::pop,           &SideBySide::grant_early,
                                                &SideBySide::steal,         &SideBySide::steal_some,
                                                &SideBySide::steal_sampled, &SideBySide::steal_some_sampled};
    const Operation operation =
        kOperations[random_.below(static_cast<std::uint32_t>(std::size(kOperations)))];
    for (std::uint32_t i = random_.below(longest) + 1; i > 0 && !testing::Test::HasFatalFailure(); --i)
      (this->*operation)();
    if (random_.below(2) == 0) expect_same_view();
  }

 private:
  // Where samples are of all blocks; else they depend on how far thieves have come.
  [[nodiscard]] bool knows_samples() const { return blocks_ <= mark::kSampledBlocks; }

  // More than most of the blocks tested have, so that a batch ends for either reason.
  static constexpr std::uint32_t kRoom = 7;

  std::span<std::uint64_t> some_room() { return std::span(room_).first(random_.below(kRoom) + 1); }

  static void expect_stolen(const std::vector<std::uint64_t>& expected, mark::BatchSteal got,
                            std::span<const std::uint64_t> room) {
    ASSERT_EQ(got.outcome, expected.empty() ? Outcome::empty : Outcome::taken);
    const std::span<const std::uint64_t> tasks = room.first(got.count);
    ASSERT_EQ(std::vector<std::uint64_t>(tasks.begin(), tasks.end()), expected);
  }

  const std::size_t blocks_;
  Queue queue_;
  Model model_;
  mark::RandomNumbers random_;
  std::array<std::uint64_t, kRoom> room_{};
  std::uint64_t next_ = 1;
};

TEST(BwosFifo, HoldsAtLeastRoomForItsTasks) {
  EXPECT_GE(Queue(3, 100).memory_bytes(), 3 * 100 * sizeof(std::uint64_t));
}

// All small shapes: blocks of one entry, and rings in which the back is next to the front.
class BwosFifoShapes : public testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {
 protected:
  std::size_t blocks() const { return std::get<0>(GetParam()); }
  std::size_t block_size() const { return std::get<1>(GetParam()); }
  std::size_t capacity() const { return blocks() * block_size(); }
};

// A window of every length slides over every boundary, many times around the ring.
TEST_P(BwosFifoShapes, GivesTasksBackInOrderWhateverItHolds) {
  // A window that begins inside a block touches one more than its tasks fill, so this much always fits.
  for (std::uint64_t held = 0; held <= capacity() - block_size(); ++held) {
    Queue queue(blocks(), block_size());
    std::uint64_t task = 0;
    for (std::uint64_t i = 0; i < held; ++i) ASSERT_TRUE(queue.push(i));
    for (std::uint64_t i = 0; i < 20 * capacity(); ++i) {
      ASSERT_TRUE(queue.push(held + i));
      ASSERT_TRUE(queue.pop(task));
      ASSERT_EQ(task, i);
    }
  }
}

TEST_P(BwosFifoShapes, IsFullUntilItsOldestBlockIsEmpty) {
  Queue queue(blocks(), block_size());
  std::uint64_t pushed = 0;
  std::uint64_t popped = 0;
  std::uint64_t task = 0;
  while (queue.push(pushed)) ++pushed;
  for (std::size_t block = 0; block < 10 * blocks(); ++block) {
    for (std::size_t i = 0; i < block_size(); ++i) {
      ASSERT_FALSE(queue.push(999)) << "block " << block << " still holds a task";
      ASSERT_TRUE(queue.pop(task));
      ASSERT_EQ(task, popped++);
    }
    for (std::size_t i = 0; i < block_size(); ++i) ASSERT_TRUE(queue.push(pushed++));
  }
}

// An owner that never gets: once the front block is behind, thieves and puts alone keep the ring going round.
TEST_P(BwosFifoShapes, CanBeFilledAgainWhenThievesTookAll) {
  Queue queue(blocks(), block_size());
  std::uint64_t task = 0;
  for (std::uint64_t i = 0; i < block_size(); ++i) ASSERT_TRUE(queue.push(i));
  for (std::uint64_t i = 0; i < block_size(); ++i) ASSERT_TRUE(queue.pop(task));
  std::uint64_t pushed = 0;
  std::uint64_t stolen = 0;
  for (std::size_t round = 0; round < 10; ++round) {
    while (queue.push(pushed)) ++pushed;
    ASSERT_EQ(pushed - stolen, capacity());
    while (queue.steal(task) == Outcome::taken) ASSERT_EQ(task, stolen++);
    ASSERT_EQ(stolen, pushed);
  }
  EXPECT_FALSE(queue.pop(task));
  EXPECT_EQ(queue.counters().takeovers, 0U);
  ASSERT_TRUE(queue.push(pushed));
  ASSERT_TRUE(queue.pop(task));
  EXPECT_EQ(task, pushed);
}

// Gets that fail take nothing from thieves: what is put next is theirs to see.
TEST_P(BwosFifoShapes, AFailingPopLeavesTheBackBlockToThieves) {
  Queue queue(blocks(), block_size());
  std::uint64_t task = 0;
  for (std::uint64_t i = 0; i <= block_size(); ++i) ASSERT_TRUE(queue.push(i));
  for (std::uint64_t i = 0; i < block_size(); ++i) ASSERT_TRUE(queue.pop(task));
  for (std::uint64_t i = block_size(); i < 4 * capacity(); ++i) {
    ASSERT_EQ(queue.steal(task), Outcome::taken);
    ASSERT_EQ(task, i);
    ASSERT_FALSE(queue.pop(task));
    ASSERT_TRUE(queue.push(i + 1));
  }
}

TEST_P(BwosFifoShapes, ThievesThatWereAwayForManyRoundsFindTheOldestBlockAtOnce) {
  Queue queue(blocks(), block_size());
  std::uint64_t pushed = 0;
  std::uint64_t popped = 0;
  std::uint64_t task = 0;
  for (std::size_t away = 0; away < 3 * blocks(); ++away) {
    for (std::size_t i = 0; i < 50 * capacity() + block_size(); ++i) {
      ASSERT_TRUE(queue.push(pushed++));
      ASSERT_TRUE(queue.pop(task));
      ASSERT_EQ(task, popped++);
    }
    // Two blocks' worth reaches beyond the front block wherever that ends.
    const std::uint64_t before = pushed;
    while (pushed < before + 2 * block_size() && queue.push(pushed)) ++pushed;
    ASSERT_TRUE(queue.has_stealable());
    while (queue.pop(task)) ASSERT_EQ(task, popped++);
  }
}

TEST_P(BwosFifoShapes, FollowsAPlainModelThroughRandomOperations) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SideBySide both(blocks(), block_size(), seed);
    for (std::size_t run = 0; run < mark::scaled(500); ++run) {
      ASSERT_NO_FATAL_FAILURE(both.run_of_one_operation(static_cast<std::uint32_t>(2 * block_size() + 2)))
          << "seed " << seed << ", run " << run;
    }
    for (std::size_t i = 0; i <= capacity(); ++i) ASSERT_NO_FATAL_FAILURE(both.pop());
    ASSERT_NO_FATAL_FAILURE(both.expect_same_view());
  }
}

INSTANTIATE_TEST_SUITE_P(Small, BwosFifoShapes,
                         testing::Combine(testing::Range<std::size_t>(2, 6),
                                          testing::Range<std::size_t>(1, 6)),
                         [](const auto& tested) {
                           return std::to_string(std::get<0>(tested.param)) + "x" +
                                  std::to_string(std::get<1>(tested.param));
                         });
INSTANTIATE_TEST_SUITE_P(Larger, BwosFifoShapes,
                         testing::Values(std::tuple{8, 16}, std::tuple{16, 3}, std::tuple{3, 64}));

TEST(BwosFifo, TheOwnerTakesOverWhatThievesLeft) {
  Queue queue(3, 4);
  for (std::uint64_t i = 0; i < 8; ++i) ASSERT_TRUE(queue.push(i));
  EXPECT_EQ(queue.counters().grants, 1U);
  std::uint64_t task = 0;
  ASSERT_EQ(queue.steal(task), Outcome::taken);
  EXPECT_EQ(task, 4U);
  for (std::uint64_t i = 0; i < 4; ++i) ASSERT_TRUE(queue.pop(task));
  EXPECT_EQ(queue.counters().takeovers, 0U);
  EXPECT_TRUE(queue.has_stealable());
  ASSERT_TRUE(queue.pop(task));
  EXPECT_EQ(task, 5U);
  EXPECT_EQ(queue.counters().takeovers, 1U);
  EXPECT_EQ(queue.steal(task), Outcome::empty) << "the block is the owner's";
  ASSERT_TRUE(queue.push(8));
  ASSERT_EQ(queue.steal(task), Outcome::taken) << "the next block is open";
  EXPECT_EQ(task, 8U);
}

TEST(BwosFifo, PutsIntoTheBackBlockAreStealableAtOnce) {
  Queue queue(2, 8);
  for (std::uint64_t i = 0; i < 8; ++i) ASSERT_TRUE(queue.push(i));
  std::uint64_t task = 0;
  for (std::uint64_t i = 8; i < 16; ++i) {
    EXPECT_EQ(queue.steal(task), Outcome::empty);
    ASSERT_TRUE(queue.push(i));
    ASSERT_EQ(queue.steal(task), Outcome::taken);
    EXPECT_EQ(task, i);
  }
}

TEST(BwosFifo, AThiefTakesAsMuchOfOneBlockAsItHasRoomFor) {
  Queue queue(3, 4);
  for (std::uint64_t i = 0; i < 12; ++i) ASSERT_TRUE(queue.push(i));
  std::array<std::uint64_t, 8> room{};
  mark::BatchSteal got = queue.steal_some(std::span(room).first(3));
  EXPECT_EQ(got.outcome, Outcome::taken);
  EXPECT_EQ(got.count, 3U);
  EXPECT_EQ(room[2], 6U);
  got = queue.steal_some(room);
  EXPECT_EQ(got.count, 1U) << "what is left of the oldest block";
  EXPECT_EQ(room[0], 7U);
  got = queue.steal_some(room);
  EXPECT_EQ(got.count, 4U);
  EXPECT_EQ(room[3], 11U);
  got = queue.steal_some(room);
  EXPECT_EQ(got.outcome, Outcome::empty);
  EXPECT_EQ(got.count, 0U);
}

TEST(BwosFifo, SampledStealsTakeFromTheVeryBlock) {
  Queue queue(4, 2);
  for (std::uint64_t i = 0; i < 8; ++i) ASSERT_TRUE(queue.push(i));
  std::uint64_t task = 0;
  EXPECT_EQ(queue.steal_sampled(0, task), Outcome::empty) << "the front block";
  ASSERT_EQ(queue.steal_sampled(2, task), Outcome::taken);
  EXPECT_EQ(task, 4U);
  std::array<std::uint64_t, 4> room{};
  ASSERT_EQ(queue.steal_some_sampled(4 + 3, room).count, 2U);
  EXPECT_EQ(room[1], 7U);
  ASSERT_EQ(queue.steal_sampled(2, task), Outcome::taken);
  EXPECT_EQ(task, 5U);
  EXPECT_EQ(queue.steal_sampled(2, task), Outcome::empty);
  EXPECT_TRUE(queue.looks_stealable(1));
  for (const std::uint64_t expected : {0U, 1U, 2U, 3U}) {
    ASSERT_TRUE(queue.pop(task));
    EXPECT_EQ(task, expected);
  }
  EXPECT_FALSE(queue.pop(task));
}

TEST(BwosFifo, SamplesTheOldestOfManyBlocks) {
  Queue queue;
  std::uint64_t task = 0;
  for (std::uint64_t i = 0; i < 24 * mark::BlockRing::kDefaultBlockSize; ++i) {
    ASSERT_TRUE(queue.push(i));
    if (i % 2 == 0) static_cast<void>(queue.steal(task));
  }
  for (std::uint64_t sample = 0; sample < 16; ++sample) {
    EXPECT_TRUE(queue.looks_stealable(sample));
    EXPECT_EQ(queue.steal_sampled(sample, task), Outcome::taken);
  }
}

// The second grant goes into the back block that the first one opened.
TEST(BwosFifo, GrantEarlyFillsTheBackBlock) {
  Queue queue(4, 16);
  for (std::uint64_t i = 0; i < 7; ++i) ASSERT_TRUE(queue.push(i));
  ASSERT_TRUE(queue.grant_early());
  EXPECT_FALSE(queue.grant_early()) << "thieves have some";
  std::uint64_t task = 0;
  for (std::uint64_t i = 4; i < 7; ++i) ASSERT_EQ(queue.steal(task), Outcome::taken);
  ASSERT_TRUE(queue.grant_early());
  EXPECT_EQ(queue.counters().grants, 1U);
  ASSERT_EQ(queue.steal(task), Outcome::taken);
  EXPECT_EQ(task, 2U);
  for (const std::uint64_t expected : {0U, 1U, 3U}) {
    ASSERT_TRUE(queue.pop(task));
    EXPECT_EQ(task, expected);
  }
  EXPECT_FALSE(queue.pop(task));
}

TEST(BwosFifo, GrantEarlyRefusesWhenNoBlockIsFree) {
  Queue queue(2, 2);
  for (std::uint64_t i = 0; i < 4; ++i) ASSERT_TRUE(queue.push(i));
  std::array<std::uint64_t, 2> room{};
  ASSERT_EQ(queue.steal_some(room).count, 2U);
  EXPECT_FALSE(queue.grant_early()) << "block 1 is full, and block 0 comes after it";
  std::uint64_t task = 0;
  for (std::uint64_t i = 0; i < 2; ++i) {
    ASSERT_TRUE(queue.pop(task));
    EXPECT_EQ(task, i);
  }
  EXPECT_FALSE(queue.pop(task));
}

}  // namespace
}  // namespace jackdaw::bench

namespace jackdaw::mark {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(BwosFifo, BlockQueue, bench::FifoKind);

}  // namespace
}  // namespace jackdaw::mark
