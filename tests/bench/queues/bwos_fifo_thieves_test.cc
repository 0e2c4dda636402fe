// The FIFO BWoS queue under thieves: every task that was pushed comes out exactly once, and the owner's come
// out in order, whatever the shape.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <latch>
#include <span>
#include <thread>
#include <tuple>
#include <vector>

#include "bench/queues/bwos_fifo.h"
#include "mark/random_numbers.h"
#include "tests/scaled.h"

namespace jackdaw::bench {
namespace {

using Queue = BwosFifo<std::uint64_t>;
using Outcome = mark::StealOutcome;

// An owner that pushes, pops and grants at random, and thieves that steal in every way until the owner is
// done and the queue empty. Whoever gets a task counts it.
class ThievesAtWork {
 public:
  ThievesAtWork(std::size_t blocks, std::size_t block_size, std::size_t tasks, std::uint64_t seed)
      : queue_(blocks, block_size), random_(seed), taken_(tasks), left_to_thieves_(block_size + 1) {}

  void run(unsigned thieves) {
    std::vector<std::thread> threads;
    std::latch all_here(thieves + 1);
    for (unsigned i = 0; i < thieves; ++i) {
      threads.emplace_back([&, i] {
        all_here.arrive_and_wait();
        steal_until_done(mark::RandomNumbers(i));
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
  void expect_owner_in_order() const { EXPECT_EQ(out_of_order_, 0U); }
  std::uint64_t stolen() const { return stolen_.load(); }

 private:
  void take(std::uint64_t task) { taken_[task].fetch_add(1, std::memory_order_relaxed); }

  bool pop() {
    std::uint64_t task = 0;
    if (!queue_.pop(task)) return false;
    take(task);
    if (task < least_to_pop_) ++out_of_order_;
    least_to_pop_ = task + 1;
    return true;
  }

  void own() {
    std::uint64_t next = 0;
    while (next < taken_.size() - left_to_thieves_) {
      for (std::uint32_t i = random_.below(20); i > 0 && next < taken_.size() - left_to_thieves_; --i) {
        if (!queue_.push(next)) {
          take(next);  // what does not fit is the owner's to do
        }
        ++next;
      }
      if (random_.below(3) == 0) queue_.grant_early();
      // With fewer cores than threads, lets thieves in at other places than the ends of time slices.
      if (random_.below(64) == 0) std::this_thread::yield();
      for (std::uint32_t i = random_.below(20); i > 0 && pop(); --i) {
      }
    }
    while (pop()) {
    }
    // More than the front block holds, so the last is stealable: thieves get something, however late they
    // are.
    for (; next < taken_.size(); ++next) {
      while (!queue_.push(next)) std::this_thread::yield();
    }
    while (queue_.offers_tasks()) std::this_thread::yield();
    while (pop()) {
    }
  }

  mark::BatchSteal steal_somehow(mark::RandomNumbers& random, std::span<std::uint64_t> room) {
    const std::uint64_t sample = random.next();
    const std::span<std::uint64_t> part = room.first(1 + sample % room.size());
    switch (random.below(4)) {
      case 0:
        return queue_.steal_some(part);
      case 1:
        return queue_.looks_stealable(sample) ? queue_.steal_some_sampled(sample, part)
                                              : mark::BatchSteal{Outcome::empty, 0};
      case 2:
        return one(queue_.steal_sampled(sample, room[0]));
      default:
        return one(queue_.steal(room[0]));
    }
  }
  static mark::BatchSteal one(Outcome outcome) { return {outcome, outcome == Outcome::taken ? 1U : 0U}; }

  void steal_until_done(mark::RandomNumbers random) {
    std::array<std::uint64_t, 5> room{};
    for (;;) {
      const bool last = owner_done_.load(std::memory_order_acquire);
      const mark::BatchSteal got = steal_somehow(random, room);
      for (std::size_t i = 0; i < got.count; ++i) take(room[i]);
      stolen_.fetch_add(got.count, std::memory_order_relaxed);
      if (last && !queue_.has_stealable() && queue_.size_hint() == 0) return;
      // With fewer cores than threads, leaves the owner time to go on.
      if (got.outcome == Outcome::empty) std::this_thread::yield();
    }
  }

  Queue queue_;
  mark::RandomNumbers random_;
  std::vector<std::atomic<std::uint32_t>> taken_;
  const std::size_t left_to_thieves_;
  std::uint64_t least_to_pop_ = 0;
  std::uint64_t out_of_order_ = 0;
  std::atomic<std::uint64_t> stolen_{0};
  std::atomic<bool> owner_done_{false};
};

class BwosFifoThieves : public testing::TestWithParam<std::tuple<std::size_t, std::size_t, unsigned>> {};

TEST_P(BwosFifoThieves, LoseNothingAndDoubleNothing) {
  const auto [blocks, block_size, thieves] = GetParam();
  std::uint64_t stolen = 0;
  // A thief may be without a processor all the time.
  constexpr std::uint64_t kFewest = 15;
  constexpr std::uint64_t kMost = 100 * kFewest;
  for (std::uint64_t seed = 1; seed <= kFewest || (stolen == 0 && seed <= kMost); ++seed) {
    ThievesAtWork work(blocks, block_size, mark::scaled(8000), seed);
    work.run(thieves);
    work.expect_every_task_exactly_once();
    work.expect_owner_in_order();
    stolen += work.stolen();
  }
  EXPECT_GT(stolen, 0U) << "thieves that never steal test nothing";
}

INSTANTIATE_TEST_SUITE_P(Shapes, BwosFifoThieves,
                         testing::Values(std::tuple{2, 1, 2}, std::tuple{2, 2, 1}, std::tuple{2, 2, 3},
                                         std::tuple{3, 2, 4}, std::tuple{8, 4, 2}, std::tuple{8, 16, 3}));

}  // namespace
}  // namespace jackdaw::bench
