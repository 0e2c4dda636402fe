// The LIFO BWoS queue under thieves: every task that was pushed comes out exactly once, whatever the shape,
// and thieves get theirs in the order in which they were pushed.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <latch>
#include <thread>
#include <tuple>
#include <vector>

#include "mark/queue/bwos_lifo.h"
#include "mark/random_numbers.h"
#include "tests/scaled.h"

namespace jackdaw::mark {
namespace {

using Queue = BwosLifo<std::uint64_t>;
using Outcome = StealOutcome;

// An owner that pushes, pops and grants at random, and thieves that steal until the owner is done and the
// queue empty. Whoever gets a task counts it.
class ThievesAtWork {
 public:
  // With an odd seed the owner begins anew as soon as it may, and rounds wrap around.
  ThievesAtWork(std::size_t blocks, std::size_t block_size, std::size_t tasks, std::uint64_t seed)
      : queue_(blocks, block_size, seed % 2 != 0 ? 0xfffffffaU : BlockNumber::kFirstRound,
               seed % 2 != 0 ? 1 : static_cast<std::uint32_t>(blocks)),
        random_(seed),
        taken_(tasks) {}

  void run(unsigned thieves) {
    std::vector<std::thread> threads;
    std::latch all_here(thieves + 1);
    for (unsigned i = 0; i < thieves; ++i) {
      threads.emplace_back([&] {
        all_here.arrive_and_wait();
        steal_until_done();
      });
    }
    all_here.arrive_and_wait();
    own();
    owner_done_.store(true, std::memory_order_release);
    for (std::thread& thread : threads) thread.join();
  }

  void expect_every_task_exactly_once() const {
    for (std::size_t i = 0; i < taken_.size(); ++i) ASSERT_EQ(taken_[i].load(), 1U) << "task " << i;
  }
  std::uint64_t stolen() const { return stolen_.load(); }

 private:
  void take(std::uint64_t task) { taken_[task].fetch_add(1, std::memory_order_relaxed); }

  void own() {
    std::uint64_t next = 0;
    std::uint64_t task = 0;
    while (next < taken_.size()) {
      for (std::uint32_t i = random_.below(20); i > 0 && next < taken_.size(); --i) {
        if (!queue_.push(next)) {
          take(next);  // what does not fit is the owner's to do
        }
        ++next;
      }
      if (random_.below(3) == 0) queue_.grant_early();
      // With fewer cores than threads, lets thieves in at other places than the ends of time slices.
      if (random_.below(64) == 0) std::this_thread::yield();
      for (std::uint32_t i = random_.below(20); i > 0 && queue_.pop(task); --i) take(task);
    }
    while (queue_.pop(task)) take(task);
  }

  void steal_until_done() {
    std::uint64_t task = 0;
    std::uint64_t least = 0;
    for (;;) {
      const bool last = owner_done_.load(std::memory_order_acquire);
      const Outcome outcome = queue_.steal(task);
      if (outcome == Outcome::taken) {
        EXPECT_GE(task, least) << "an older task was left behind";
        least = task + 1;
        take(task);
        stolen_.fetch_add(1, std::memory_order_relaxed);
      } else if (last && outcome == Outcome::empty) {
        return;
      }
      (void)queue_.looks_stealable(task);
    }
  }

  Queue queue_;
  RandomNumbers random_;
  std::vector<std::atomic<std::uint32_t>> taken_;
  std::atomic<std::uint64_t> stolen_{0};
  std::atomic<bool> owner_done_{false};
};

class BwosLifoThieves : public testing::TestWithParam<std::tuple<std::size_t, std::size_t, unsigned>> {};

TEST_P(BwosLifoThieves, LoseNothingAndDoubleNothing) {
  const auto [blocks, block_size, thieves] = GetParam();
  std::uint64_t stolen = 0;
  // A thief may be without a processor all the time.
  constexpr std::uint64_t kFewest = 15;
  constexpr std::uint64_t kMost = 100 * kFewest;
  for (std::uint64_t seed = 1; seed <= kFewest || (stolen == 0 && seed <= kMost); ++seed) {
    ThievesAtWork work(blocks, block_size, scaled(8000), seed);
    work.run(thieves);
    work.expect_every_task_exactly_once();
    stolen += work.stolen();
  }
  EXPECT_GT(stolen, 0U) << "thieves that never steal test nothing";
}

// As deep as a heap without structure makes it: the owner comes down while thieves come up.
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

INSTANTIATE_TEST_SUITE_P(Shapes, BwosLifoThieves,
                         testing::Values(std::tuple{2, 1, 2}, std::tuple{2, 2, 1}, std::tuple{2, 2, 3},
                                         std::tuple{3, 1, 3}, std::tuple{3, 2, 4}, std::tuple{8, 4, 2},
                                         std::tuple{8, 16, 3}));

}  // namespace
}  // namespace jackdaw::mark
