// Termination: no round ends while somebody holds a task, every round ends, and sleepers are woken.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "mark/termination/owst.h"
#include "mark/termination/parking_lot.h"
#include "mark/thread_pool.h"
#include "tests/mark/sanitized.h"

namespace jackdaw::mark {
namespace {

TEST(OwstTerminator, OneWorkerEndsItsRoundAtOnce) {
  OwstTerminator terminator;
  for (int round = 0; round < 10; ++round) {
    terminator.start_round(1);
    EXPECT_FALSE(terminator.hungry());
    EXPECT_TRUE(terminator.offer([] { return false; }));
  }
}

// A bag of tasks that all workers share: a task may make two more. Much smaller than marking, so that rounds
// end all the time.
class SharedBag {
 public:
  void fill(std::int64_t tasks) {
    left_to_make_.store(tasks, std::memory_order_relaxed);
    waiting_.store(1, std::memory_order_relaxed);
    executed_.store(0, std::memory_order_relaxed);
  }

  bool take() {
    std::int64_t waiting = waiting_.load(std::memory_order_relaxed);
    while (waiting > 0) {
      if (waiting_.compare_exchange_weak(waiting, waiting - 1)) return true;
    }
    return false;
  }

  void execute() {
    executed_.fetch_add(1, std::memory_order_relaxed);
    for (int i = 0; i < 2; ++i) {
      if (left_to_make_.fetch_sub(1, std::memory_order_relaxed) > 0) waiting_.fetch_add(1);
    }
  }

  bool in_sight() const { return waiting_.load(std::memory_order_relaxed) > 0; }
  std::int64_t executed() const { return executed_.load(std::memory_order_relaxed); }
  std::int64_t waiting() const { return waiting_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> left_to_make_{0};
  std::atomic<std::int64_t> waiting_{0};
  std::atomic<std::int64_t> executed_{0};
};

// One worker's part of a round: the last tasks are executed after the offers of others, so a detector that
// ends too early leaves tasks behind.
void work(OwstTerminator& terminator, SharedBag& bag) {
  do {
    while (bag.take()) {
      bag.execute();
      if (terminator.hungry() && bag.in_sight()) terminator.wake();
    }
  } while (!terminator.offer([&] { return bag.in_sight(); }));
}

class Termination : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Termination, EndsThousandsOfTinyRoundsWithNothingLeft) {
  const std::uint32_t workers = GetParam();
  ThreadPool pool(workers);
  OwstTerminator terminator;
  SharedBag bag;
  for (std::size_t round = 0; round < scaled(3000); ++round) {
    const auto tasks = static_cast<std::int64_t>(round % 37);
    bag.fill(tasks);
    terminator.start_round(workers);
    pool.run([&](std::uint32_t) { work(terminator, bag); });
    ASSERT_EQ(bag.executed(), tasks + 1) << "round " << round;
    ASSERT_EQ(bag.waiting(), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, Termination, testing::Values(1, 2, 3, 8, 17));

// A worker that keeps its task until every other worker has gone to sleep: the round must not end before, and
// the sleepers must be woken by the work that then appears.
TEST(OwstTerminator, WakesSleepersForWorkThatAppearsLate) {
  constexpr std::uint32_t kWorkers = 4;
  ThreadPool pool(kWorkers);
  OwstTerminator terminator;
  std::atomic<int> waiting{0};
  std::atomic<int> executed_by_others{0};
  terminator.start_round(kWorkers);
  pool.run([&](std::uint32_t worker) {
    if (worker == 0) {
      while (!terminator.hungry()) std::this_thread::yield();
      waiting.store(1000);
      // Holds its task until the others have done the work: they can only if they are woken.
      while (executed_by_others.load() < 1000) {
        terminator.wake();
        std::this_thread::yield();
      }
    }
    do {
      int left = waiting.load();
      while (left > 0) {
        if (waiting.compare_exchange_weak(left, left - 1)) {
          if (worker != 0) executed_by_others.fetch_add(1);
          left = waiting.load();
        }
      }
    } while (!terminator.offer([&] { return waiting.load() > 0; }));
  });
  EXPECT_EQ(executed_by_others.load(), 1000);
}

TEST(ParkingLot, ACallWakesOneSleeperAndNobodySleepsThroughTheEnd) {
  for (std::size_t round = 0; round < scaled(200); ++round) {
    ParkingLot lot;
    std::atomic<bool> over{false};
    std::atomic<int> woken{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        lot.park([&] { return over.load(); });
        woken.fetch_add(1);
      });
    }
    while (woken.load() == 0) {
      if (lot.has_uncalled_sleeper()) lot.wake_one();
    }
    over.store(true);
    lot.wake_all();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(woken.load(), 3);
    EXPECT_FALSE(lot.has_uncalled_sleeper());
  }
}

}  // namespace
}  // namespace jackdaw::mark
