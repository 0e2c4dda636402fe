// Searchers, and the thread pool that workers leave to and are called from: no round ends while a worker
// holds a task, every round ends, and workers that left come back when there is work.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "mark/backoff.h"
#include "mark/searchers.h"
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

// A team whose workers take tasks from the bag, leave when there are none, and call others back.
class BagTeam {
 public:
  explicit BagTeam(std::uint32_t workers)
      : searchers_(Backoff(workers >= std::thread::hardware_concurrency())), pool_(workers) {}

  SharedBag& bag() { return bag_; }

  /// A round that all workers begin, or one. With `calls`, a worker that has made tasks calls others.
  void run(std::int64_t tasks, bool all_begin, bool calls) {
    bag_.fill(tasks);
    searchers_.start_round();
    const auto part = [&](std::uint32_t) { take_part(calls); };
    all_begin ? pool_.run(part) : pool_.run_on_call(part);
  }

 private:
  void take_part(bool calls) {
    for (;;) {
      while (bag_.take()) {
        bag_.execute();
        if (calls) pool_.call(pool_.size());
      }
      const bool searches = searchers_.begin(std::max(1U, pool_.at_work() / 2));
      if (searches && bag_.in_sight()) {
        searchers_.end();
      } else if (searchers_.stays([&] { return bag_.in_sight(); }, [&] { return pool_.at_work() == 1; })) {
        searchers_.end();
      } else {
        return;
      }
    }
  }

  Searchers searchers_;
  ThreadPool pool_;
  SharedBag bag_;
};

class Rounds : public testing::TestWithParam<std::uint32_t> {
 protected:
  // Many tiny rounds, after each of which nothing is left.
  static void expect_to_end(bool all_begin, bool calls) {
    BagTeam team(GetParam());
    for (std::size_t round = 0; round < scaled(400); ++round) {
      const auto tasks = static_cast<std::int64_t>(round % 37);
      team.run(tasks, all_begin, calls);
      ASSERT_EQ(team.bag().executed(), tasks + 1) << "round " << round;
      ASSERT_EQ(team.bag().waiting(), 0);
    }
  }
};

TEST_P(Rounds, EndThatAllBegin) { expect_to_end(true, false); }
TEST_P(Rounds, EndThatAllBeginAndSomeAreCalledBackTo) { expect_to_end(true, true); }
TEST_P(Rounds, EndToWhichNobodyElseComes) { expect_to_end(false, false); }
TEST_P(Rounds, EndToWhichOthersAreCalled) { expect_to_end(false, true); }

INSTANTIATE_TEST_SUITE_P(Workers, Rounds, testing::Values(1, 2, 3, 8));

// A worker that keeps its task until all others have left, and calls them for work that appears then: they
// alone do it.
TEST(Searchers, ThatLeftAreCalledBack) {
  constexpr std::uint32_t kWorkers = 3;
  Searchers searchers{Backoff(true)};
  ThreadPool pool(kWorkers);
  std::atomic<int> waiting{0};
  std::atomic<int> executed_by_others{0};
  std::vector<int> parts(kWorkers, 0);
  searchers.start_round();
  pool.run([&](std::uint32_t worker) {
    if (++parts[worker] == 1 && worker == 0) {
      while (pool.callable(kWorkers) < kWorkers - 1) std::this_thread::yield();
      waiting.store(1000);
      while (executed_by_others.load() < 1000) {
        pool.call(kWorkers);
        std::this_thread::yield();
      }
    }
    for (;;) {
      for (int left = waiting.load(); left > 0; left = waiting.load()) {
        if (waiting.compare_exchange_weak(left, left - 1)) executed_by_others.fetch_add(1);
      }
      searchers.begin(kWorkers);
      if (!searchers.stays([&] { return waiting.load() > 0; }, [&] { return pool.at_work() == 1; })) return;
      searchers.end();
    }
  });
  EXPECT_EQ(executed_by_others.load(), 1000);
  EXPECT_GT(parts[1] + parts[2], 2);
}

TEST(Searchers, AreCountedAndNoMoreAreWanted) {
  Searchers searchers{Backoff()};
  searchers.start_round();
  EXPECT_TRUE(searchers.begin(2));
  EXPECT_TRUE(searchers.begin(2));
  EXPECT_FALSE(searchers.begin(2));
  EXPECT_EQ(searchers.count(), 3U);
  const auto nothing = [] { return false; };
  // While the first watches, the second leaves, and then the first sees work.
  EXPECT_TRUE(searchers.stays([&] { return !searchers.stays(nothing, nothing); }, nothing));
  EXPECT_EQ(searchers.count(), 2U);
  searchers.end();
  EXPECT_EQ(searchers.count(), 1U);
  EXPECT_FALSE(searchers.stays(nothing, nothing)) << "for ever";
  EXPECT_EQ(searchers.count(), 0U);
  searchers.begin(1);
  const auto alone = [] { return true; };
  EXPECT_FALSE(searchers.stays([] { return true; }, alone)) << "nobody else could have work";
}

TEST(Backoff, EndsAndBeginsAnewInACopy) {
  for (const bool crowded : {false, true}) {
    const Backoff policy(crowded);
    for (int i = 0; i < 3; ++i) {
      Backoff wait = policy;
      int waits = 0;
      while (waits < 1000 && wait.wait()) ++waits;
      EXPECT_GT(waits, 0);
      EXPECT_LT(waits, 1000);
      EXPECT_FALSE(wait.wait());
    }
  }
}

}  // namespace
}  // namespace jackdaw::mark
