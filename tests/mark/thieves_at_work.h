// ThievesAtWork: an owner that pushes, pops and grants at random, and thieves that steal single tasks and
// batches until the owner is done and the queue is empty. The thread that gets a task counts it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <span>
#include <thread>
#include <vector>

#include "mark/queue/queue.h"
#include "mark/random_numbers.h"

namespace jackdaw::mark {

/// Which of its own tasks an owner gets next.
enum class PopOrder { newest_first, oldest_first };

template <StealableQueue Queue, PopOrder kOrder>
class ThievesAtWork {
 public:
  /// `make()` returns the queue, which is to pass `tasks` tasks.
  template <typename Make>
  ThievesAtWork(Make make, std::size_t tasks, std::uint64_t seed)
      : queue_(make()), random_(seed), seed_(seed), taken_(tasks) {}

  void run(unsigned thieves) {
    std::vector<std::thread> threads;
    std::latch all_here(thieves + 1);
    for (unsigned i = 0; i < thieves; ++i) {
      threads.emplace_back([&, i] {
        all_here.arrive_and_wait();
        steal_until_done(RandomNumbers(seed_ * 1000 + i));
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
    EXPECT_EQ(out_of_order_.load(), 0U);
  }

 private:
  // A first-in-first-out owner holds the oldest tasks and may give of them after thieves got newer ones.
  static constexpr bool kThievesAreInOrder = kOrder == PopOrder::newest_first && !RandomizedStealing<Queue>;

  // Takes a task; it must not be older than `least` when `is_in_order`.
  void take(std::uint64_t task, std::uint64_t& least, bool is_in_order) {
    if (is_in_order && task < least) out_of_order_.fetch_add(1, std::memory_order_relaxed);
    least = task + 1;
    taken_[task].fetch_add(1, std::memory_order_relaxed);
  }

  void push_next() {
    if (!queue_.push(next_))
      taken_[next_].fetch_add(1, std::memory_order_relaxed);  // the owner does it itself
    ++next_;
  }
  bool pop() {
    std::uint64_t task = 0;
    if (!queue_.pop(task)) return false;
    take(task, least_to_pop_, kOrder == PopOrder::oldest_first);
    return true;
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
    while (next_ < taken_.size()) {
      for (std::uint32_t i = random_.below(20); i > 0 && next_ < taken_.size(); --i) push_next();
      if (random_.below(3) == 0) queue_.grant_early();
      // With fewer cores than threads, lets thieves in at other places than the ends of time slices.
      if (random_.below(64) == 0) std::this_thread::yield();
      for (std::uint32_t i = random_.below(24); i > 0 && pop(); --i) {
      }
    }
    while (pop()) {
    }
  }

  void steal_until_done(RandomNumbers random) {
    std::array<std::uint64_t, 6> room{};
    std::uint64_t least = 0;
    for (;;) {
      const bool last = owner_done_.load(std::memory_order_acquire);
      const BatchSteal stolen = steal_somehow(random, room);
      for (std::size_t i = 0; i < stolen.count; ++i) take(room[i], least, kThievesAreInOrder);
      stolen_.fetch_add(stolen.count, std::memory_order_relaxed);
      if (last && stolen.outcome == StealOutcome::empty) return;
      (void)queue_.looks_stealable(random.next());
      (void)queue_.size_hint();
    }
  }

  BatchSteal steal_somehow(RandomNumbers& random, std::span<std::uint64_t> room) {
    const std::uint64_t sample = random.next();
    const std::span<std::uint64_t> part = room.first(1 + sample % room.size());
    if constexpr (RandomizedStealing<Queue>) {
      if (random.below(2) == 0) {
        if (random.below(2) == 0) return one(queue_.steal_sampled(sample, room[0]));
        return queue_.looks_stealable(sample) ? queue_.steal_some_sampled(sample, part)
                                              : BatchSteal{StealOutcome::empty, 0};
      }
    }
    return random.below(2) == 0 ? queue_.steal_some(part) : one(queue_.steal(room[0]));
  }
  static BatchSteal one(StealOutcome outcome) {
    return {outcome, outcome == StealOutcome::taken ? std::size_t{1} : 0};
  }

  Queue queue_;
  RandomNumbers random_;
  const std::uint64_t seed_;
  std::uint64_t next_ = 0;
  std::uint64_t least_to_pop_ = 0;
  std::vector<std::atomic<std::uint32_t>> taken_;
  std::atomic<std::uint64_t> stolen_{0};
  std::atomic<std::uint64_t> out_of_order_{0};
  std::atomic<bool> owner_done_{false};
};

}  // namespace jackdaw::mark
