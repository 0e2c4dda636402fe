// Termination: no round ends while somebody holds a task, every round ends, and sleepers are woken.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

#include "mark/termination/any.h"
#include "mark/termination/backoff.h"
#include "mark/termination/choices.h"
#include "mark/termination/parking_lot.h"
#include "mark/thread_pool.h"
#include "tests/scaled.h"

namespace jackdaw::mark {
namespace {

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
void work(AnyTerminator& terminator, std::uint32_t worker, std::uint32_t workers, SharedBag& bag) {
  do {
    // Whoever put the task there: for the detector the bag is every other worker's queue.
    for (std::uint32_t victim = 0; victim < workers; ++victim) {
      if (victim != worker) terminator.before_steal(worker, victim);
    }
    while (bag.take()) {
      bag.execute();
      if (terminator.idle() && bag.in_sight()) terminator.wake();
    }
  } while (!terminator.offer(worker, [&] { return bag.in_sight(); }));
}

using Parameters = std::tuple<std::string_view, BackoffKind, std::uint32_t>;

class Termination : public testing::TestWithParam<Parameters> {
 protected:
  static std::uint32_t workers() { return std::get<2>(GetParam()); }

  AnyTerminator terminator_{
      {workers(), Backoff(std::get<1>(GetParam()), workers() >= std::thread::hardware_concurrency()),
       std::get<0>(GetParam())}};
};

class TerminationAmongSeveral : public Termination {};

TEST_P(Termination, EndsThousandsOfTinyRoundsWithNothingLeft) {
  ThreadPool pool(workers());
  SharedBag bag;
  for (std::size_t round = 0; round < scaled(120); ++round) {
    const auto tasks = static_cast<std::int64_t>(round % 37);
    bag.fill(tasks);
    terminator_.start_round(workers(), workers());
    EXPECT_FALSE(terminator_.idle());
    pool.run([&](std::uint32_t worker) { work(terminator_, worker, workers(), bag); });
    ASSERT_EQ(bag.executed(), tasks + 1) << "round " << round;
    ASSERT_EQ(bag.waiting(), 0);
  }
}

// Rounds of fewer workers than the detector was made for, as when threads could not be started.
TEST_P(Termination, EndsRoundsOfFewerWorkers) {
  SharedBag bag;
  for (std::uint32_t fewer = 1; fewer <= workers(); ++fewer) {
    ThreadPool pool(fewer);
    bag.fill(100);
    terminator_.start_round(fewer, fewer);
    pool.run([&](std::uint32_t worker) { work(terminator_, worker, fewer, bag); });
    EXPECT_EQ(bag.executed(), 101);
  }
}

// Workers that come after the round has begun, or when it is over, or, where the detector allows, not at all.
TEST_P(TerminationAmongSeveral, EndsRoundsToWhichWorkersComeLate) {
  ThreadPool pool(workers());
  SharedBag bag;
  for (std::size_t round = 0; round < scaled(120); ++round) {
    const auto tasks = static_cast<std::int64_t>(round % 37);
    bag.fill(tasks);
    terminator_.start_round(workers(), 1);
    pool.run([&](std::uint32_t worker) {
      if (terminator_.takes_late_workers() && worker > round % workers()) return;
      if (worker == 0 || terminator_.join(worker)) work(terminator_, worker, workers(), bag);
    });
    ASSERT_EQ(bag.executed(), tasks + 1) << "round " << round;
    ASSERT_EQ(bag.waiting(), 0);
  }
}

// A worker that keeps its task until the others have looked for one in vain: the round must not end before,
// and sleepers must be woken by the work that then appears.
TEST_P(TerminationAmongSeveral, WakesSleepersForWorkThatAppearsLate) {
  ThreadPool pool(workers());
  std::atomic<int> waiting{0};
  std::atomic<int> executed_by_others{0};
  terminator_.start_round(workers(), workers());
  pool.run([&](std::uint32_t worker) {
    if (worker == 0) {
      while (!terminator_.idle()) std::this_thread::yield();
      waiting.store(1000);
      // Holds its task until the others have done the work: they can only if they are woken.
      while (executed_by_others.load() < 1000) {
        terminator_.wake();
        std::this_thread::yield();
      }
    }
    do {
      if (worker != 0) terminator_.before_steal(worker, 0);
      int left = waiting.load();
      while (left > 0) {
        if (waiting.compare_exchange_weak(left, left - 1)) {
          if (worker != 0) executed_by_others.fetch_add(1);
          left = waiting.load();
        }
      }
    } while (!terminator_.offer(worker, [&] { return waiting.load() > 0; }));
  });
  EXPECT_EQ(executed_by_others.load(), 1000);
}

std::string name_of(const testing::TestParamInfo<Parameters>& info) {
  const auto& [detector, backoff, workers] = info.param;
  const auto* const kind =
      std::find_if(kBackoffKinds.begin(), kBackoffKinds.end(),
                   [chosen = backoff](const auto& entry) { return entry.second == chosen; });
  return std::string(detector) + "_" + std::string(kind->first) + "_" + std::to_string(workers) + "_workers";
}

auto every_detector_and_backoff(const std::vector<std::uint32_t>& workers) {
  return testing::Combine(
      testing::ValuesIn(names_of(std::type_identity<TerminatorChoices>{})),
      testing::Values(BackoffKind::sleep, BackoffKind::yield, BackoffKind::exponential, BackoffKind::pause),
      testing::ValuesIn(workers));
}

INSTANTIATE_TEST_SUITE_P(Detectors, Termination, every_detector_and_backoff({1, 2, 3, 8}), name_of);
INSTANTIATE_TEST_SUITE_P(Detectors, TerminationAmongSeveral, every_detector_and_backoff({2, 3, 8}), name_of);

TEST(AnyTerminator, RefusesAnUnknownName) {
  EXPECT_THROW(AnyTerminator({2, Backoff(), "clock"}), std::invalid_argument);
}

TEST(Backoff, OnlySleepingComesToSleep) {
  for (const bool crowded : {false, true}) {
    for (const auto& [name, kind] : kBackoffKinds) {
      Backoff backoff(kind, crowded);
      int waits = 0;
      while (waits < 1000 && backoff.wait()) ++waits;
      if (kind == BackoffKind::sleep) {
        EXPECT_LT(waits, 1000);
        EXPECT_FALSE(backoff.wait()) << "still time to sleep";
      } else {
        EXPECT_EQ(waits, 1000) << name;
      }
    }
  }
}

TEST(Backoff, ACopyBeginsAnew) {
  const Backoff policy(BackoffKind::sleep);
  for (int i = 0; i < 3; ++i) {
    Backoff wait = policy;
    EXPECT_TRUE(wait.wait());
    while (wait.wait()) {
    }
  }
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
      lot.wake_one();
    }
    over.store(true);
    lot.wake_all();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(woken.load(), 3);
    EXPECT_FALSE(lot.wake_one());
  }
}

}  // namespace
}  // namespace jackdaw::mark
