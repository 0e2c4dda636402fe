// All concurrent queues under thieves that take single tasks and batches: every task that was pushed comes
// out exactly once, and each thief gets its tasks in the order in which they were pushed.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <span>
#include <thread>
#include <vector>

#include "mark/random_numbers.h"
#include "tests/bench/queues/queue_kinds.h"
#include "tests/scaled.h"

namespace jackdaw::bench {
namespace {

using Outcome = mark::StealOutcome;

// An owner that pushes, pops and grants at random, and thieves that steal until the owner is done and the
// queue empty. Whoever gets a task counts it.
template <typename Kind>
class MixedThieves {
 public:
  MixedThieves(std::size_t blocks, std::size_t block_size, std::size_t tasks, std::uint64_t seed)
      : queue_(blocks, block_size), random_(seed), seed_(seed), taken_(tasks) {}

  void run(unsigned thieves) {
    std::vector<std::thread> threads;
    std::latch all_here(thieves + 1);
    for (unsigned i = 0; i < thieves; ++i) {
      threads.emplace_back([&, i] {
        all_here.arrive_and_wait();
        steal_until_done(mark::RandomNumbers(seed_ * 1000 + i));
      });
    }
    all_here.arrive_and_wait();
    offer_until_stolen();
    own();
    owner_done_.store(true, std::memory_order_release);
    for (std::thread& thread : threads) thread.join();
  }

  void expect_every_task_exactly_once_and_in_order() const {
    for (std::size_t i = 0; i < taken_.size(); ++i) ASSERT_EQ(taken_[i].load(), 1U) << "task " << i;
    // A first-in-first-out owner holds the oldest and may give of them after thieves got newer ones.
    if (Kind::kOrder == PopOrder::newest_first) {
      EXPECT_EQ(out_of_order_.load(), 0U);
    }
  }

 private:
  void take(std::uint64_t task) { taken_[task].fetch_add(1, std::memory_order_relaxed); }

  void push_next() {
    if (!queue_.push(next_)) take(next_);  // what does not fit is the owner's to do
    ++next_;
  }

  // Thieves that never steal would test nothing: goes on only when one has.
  void offer_until_stolen() {
    while (next_ < taken_.size() / 2 && !queue_.offers_tasks()) {
      push_next();
      queue_.grant_early();
    }
    while (stolen_.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
  }

  void own() {
    std::uint64_t task = 0;
    while (next_ < taken_.size()) {
      for (std::uint32_t i = random_.below(20); i > 0 && next_ < taken_.size(); --i) push_next();
      if (random_.below(3) == 0) queue_.grant_early();
      // With fewer cores than threads, lets thieves in at other places than the ends of time slices.
      if (random_.below(64) == 0) std::this_thread::yield();
      for (std::uint32_t i = random_.below(24); i > 0 && queue_.pop(task); --i) take(task);
    }
    while (queue_.pop(task)) take(task);
  }

  void steal_until_done(mark::RandomNumbers random) {
    std::array<std::uint64_t, 6> room{};
    std::uint64_t least = 0;  // of the tasks that may come now
    for (;;) {
      const bool last = owner_done_.load(std::memory_order_acquire);
      const mark::BatchSteal stolen = steal(std::span(room).first(random.below(room.size() + 1)));
      for (std::size_t i = 0; i < stolen.count; ++i) {
        if (room[i] < least) out_of_order_.fetch_add(1, std::memory_order_relaxed);
        least = room[i] + 1;
        take(room[i]);
      }
      stolen_.fetch_add(stolen.count, std::memory_order_relaxed);
      if (last && stolen.outcome == Outcome::empty) return;
      (void)queue_.looks_stealable(random.next());
      (void)queue_.size_hint();
    }
  }

  // A single task when there is no place for a batch.
  mark::BatchSteal steal(std::span<std::uint64_t> room) {
    if (!room.empty()) return queue_.steal_some(room);
    const Outcome outcome = queue_.steal(*room.data());
    return {outcome, outcome == Outcome::taken ? std::size_t{1} : 0};
  }

  typename Kind::Queue queue_;
  mark::RandomNumbers random_;
  const std::uint64_t seed_;
  std::uint64_t next_ = 0;
  std::vector<std::atomic<std::uint32_t>> taken_;
  std::atomic<std::uint64_t> stolen_{0};
  std::atomic<std::uint64_t> out_of_order_{0};
  std::atomic<bool> owner_done_{false};
};

template <typename Kind>
class QueuesThieves : public testing::Test {
 protected:
  // On AArch64 a sequentially consistent load never overtakes such a store. In the emulator it does
  // (QEMU 7.2: a barrier stands before the store and behind the load, and none between them).
  void SetUp() override {
    if (mark::kEmulated && Kind::kStoresThenLoads) GTEST_SKIP() << "the emulator lets loads overtake stores";
  }

  void lose_nothing_and_double_nothing(std::size_t blocks, std::size_t block_size, unsigned thieves) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      MixedThieves<Kind> work(blocks, block_size, mark::scaled(8000), seed);
      work.run(thieves);
      work.expect_every_task_exactly_once_and_in_order();
    }
  }
};
TYPED_TEST_SUITE(QueuesThieves, ConcurrentKinds, KindName);

// Nearly every pop is of the last task, and a queue that grows does so under the thieves' eyes.
TYPED_TEST(QueuesThieves, LoseAndDoubleNothingInTheSmallestQueue) {
  this->lose_nothing_and_double_nothing(2, 1, 2);
}

TYPED_TEST(QueuesThieves, LoseAndDoubleNothingInASmallQueue) {
  this->lose_nothing_and_double_nothing(3, 2, 4);
}

TYPED_TEST(QueuesThieves, LoseAndDoubleNothingWithOneThief) {
  this->lose_nothing_and_double_nothing(2, 2, 1);
}

TYPED_TEST(QueuesThieves, LoseAndDoubleNothingInAQueueOfSeveralBlocks) {
  this->lose_nothing_and_double_nothing(8, 16, 3);
}

}  // namespace
}  // namespace jackdaw::bench
