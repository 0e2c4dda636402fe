// The thread pool: every worker runs every job once, and what it wrote is seen.
#include "mark/thread_pool.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "tests/scaled.h"

namespace jackdaw::mark {
namespace {

TEST(ThreadPool, RunsEachJobOnceOnEachWorker) {
  ThreadPool pool(6);
  ASSERT_EQ(pool.size(), 6U);
  std::vector<std::uint64_t> runs(6, 0);  // not atomic: the pool synchronises
  for (std::uint64_t job = 1; job <= 500; ++job) {
    pool.run([&](std::uint32_t worker) { ++runs[worker]; });
    for (const std::uint64_t count : runs) ASSERT_EQ(count, job);
  }
}

TEST(ThreadPool, TheCallerIsWorkerNought) {
  ThreadPool pool(3);
  std::vector<std::thread::id> threads(3);
  pool.run([&](std::uint32_t worker) { threads[worker] = std::this_thread::get_id(); });
  EXPECT_EQ(threads[0], std::this_thread::get_id());
  EXPECT_NE(threads[1], threads[0]);
  EXPECT_NE(threads[2], threads[1]);
}

TEST(ThreadPool, OfOneRunsTheJobHere) {
  ThreadPool pool(1);
  int runs = 0;
  pool.run([&](std::uint32_t) { ++runs; });
  EXPECT_EQ(runs, 1);
}

TEST(ThreadPool, RunsAJobOnFewerWorkers) {
  ThreadPool pool(4);
  std::vector<int> runs(4, 0);
  for (std::uint32_t workers = 1; workers <= 4; ++workers) {
    pool.run([&](std::uint32_t worker) { ++runs[worker]; }, workers);
  }
  EXPECT_EQ(runs, (std::vector<int>{4, 3, 2, 1}));
}

TEST(ThreadPool, CallsNoMoreThanTheJobMayHave) {
  ThreadPool pool(4);
  std::vector<int> runs(4, 0);
  std::atomic<bool> has_called{false};
  pool.run_on_call(
      [&](std::uint32_t worker) {
        ++runs[worker];
        if (worker == 0) {
          EXPECT_TRUE(pool.call(4));
          EXPECT_FALSE(pool.call(4)) << "two are all that it may have";
          has_called.store(true);
        } else {
          while (!has_called.load()) std::this_thread::yield();
        }
      },
      2);
  EXPECT_EQ(runs[2] + runs[3], 0);
}

TEST(ThreadPool, OnCallRunsTheJobHereWhenNobodyIsCalled) {
  ThreadPool pool(4);
  std::vector<int> runs(4, 0);
  pool.run_on_call([&](std::uint32_t worker) { ++runs[worker]; });
  EXPECT_EQ(runs, (std::vector<int>{1, 0, 0, 0}));
}

TEST(ThreadPool, WhoeverIsCalledRunsTheJobOnce) {
  ThreadPool pool(5);
  std::vector<std::uint64_t> runs(5, 0);
  for (std::uint64_t job = 1; job <= 200; ++job) {
    std::atomic<std::uint32_t> came{0};
    std::atomic<std::uint32_t> saw_all{0};
    pool.run_on_call([&](std::uint32_t worker) {
      ++runs[worker];
      came.fetch_add(1);
      // Waits until all are here; any worker calls the next.
      while (came.load() < pool.size()) {
        pool.call(4);
        std::this_thread::yield();
      }
      // Workers that returned could be called back.
      saw_all.fetch_add(1);
      while (saw_all.load() < pool.size()) std::this_thread::yield();
    });
    for (const std::uint64_t count : runs) ASSERT_EQ(count, job);
  }
}

TEST(ThreadPool, CallsNoMoreThanMayBeOnTheirWay) {
  ThreadPool pool(4);
  std::atomic<bool> has_called{false};
  pool.run_on_call([&](std::uint32_t worker) {
    if (worker != 0) {
      while (!has_called.load()) std::this_thread::yield();
      return;
    }
    EXPECT_EQ(pool.callable(2), 2U);
    EXPECT_FALSE(pool.call(0));
    EXPECT_TRUE(pool.call(1));
    EXPECT_EQ(pool.called(), 2U);
    // Until the first one has come.
    while (!pool.call(1)) std::this_thread::yield();
    EXPECT_EQ(pool.called(), 3U);
    EXPECT_GE(pool.at_work(), 2U);
    has_called.store(true);
  });
}

// Workers whose part has ended are called again, the caller, too; the job ends when no worker is at work.
TEST(ThreadPool, CallsWhoeverHasReturnedBack) {
  constexpr int kParts = 300;
  constexpr int kJobs = static_cast<int>(scaled(20));
  ThreadPool pool(3);
  int parts_of_caller = 0;
  for (int job = 0; job < kJobs; ++job) {
    std::atomic<int> parts{0};
    std::vector<int> parts_of(3, 0);
    pool.run_on_call([&](std::uint32_t worker) {
      ++parts_of[worker];
      // Each part sees another one begin before it ends, but for the last ones.
      const int part = parts.fetch_add(1) + 1;
      while (part < kParts && parts.load() == part) {
        pool.call(1);
        std::this_thread::yield();
      }
    });
    EXPECT_GE(parts.load(), kParts);
    EXPECT_EQ(parts_of[0] + parts_of[1] + parts_of[2], parts.load());
    parts_of_caller += parts_of[0];
  }
  EXPECT_GT(parts_of_caller, kJobs) << "the lowest-numbered is called first";
}

// Jobs that end while helpers are still waking up: these do without, and the next job is not theirs unless
// they are called again.
TEST(ThreadPool, AJobDoesNotWaitForHelpersThatComeTooLate) {
  ThreadPool pool(4);
  std::vector<std::uint64_t> runs(4, 0);
  for (int job = 0; job < 2000; ++job) {
    std::atomic<std::uint64_t> called{0};
    std::atomic<std::uint64_t> came{0};
    const std::uint64_t before = runs[1] + runs[2] + runs[3];
    pool.run_on_call([&](std::uint32_t worker) {
      ++runs[worker];
      if (worker != 0) came.fetch_add(1);
      if (pool.call(4)) called.fetch_add(1);
    });
    EXPECT_LE(came.load(), called.load());
    ASSERT_EQ(runs[1] + runs[2] + runs[3] - before, came.load());
  }
  pool.run([&](std::uint32_t worker) { runs[worker] = 0; });
  EXPECT_EQ(runs, (std::vector<std::uint64_t>{0, 0, 0, 0}));
}

// A job that waits for all its workers, and calls none.
void run_with(ThreadPool& pool, std::uint32_t workers, std::vector<std::uint64_t>& runs) {
  std::atomic<std::uint32_t> came{0};
  pool.run_on_call([&](std::uint32_t worker) {
    ++runs[worker];
    came.fetch_add(1);
    while (came.load() < workers) std::this_thread::yield();
  });
}

TEST(ThreadPool, WhoeverIsWokenIsCalledToTheNextJobAndNoOther) {
  ThreadPool pool(6);
  std::vector<std::uint64_t> runs(6, 0);
  for (std::uint64_t job = 1; job <= 300; ++job) {
    pool.wake_ahead(5);
    run_with(pool, 6, runs);
    for (const std::uint64_t count : runs) ASSERT_EQ(count, job);
  }
  const auto until = std::chrono::steady_clock::now() + 2 * ThreadPool::kAwake;
  pool.run_on_call([&](std::uint32_t worker) {
    ++runs[worker];
    while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
  });
  pool.wake_ahead(5);
  pool.wake_ahead(2);
  run_with(pool, 3, runs);
  EXPECT_EQ(runs, (std::vector<std::uint64_t>{302, 301, 301, 300, 300, 300}));
}

TEST(ThreadPool, OfOneHasNobodyToWake) {
  ThreadPool pool(1);
  std::vector<std::uint64_t> runs(1, 0);
  pool.wake_ahead(1);
  run_with(pool, 1, runs);
  EXPECT_EQ(runs[0], 1U);
}

TEST(ThreadPool, WhoeverIsWokenComesAlsoWhenTheJobIsLate) {
  ThreadPool pool(3);
  std::vector<std::uint64_t> runs(3, 0);
  for (std::uint64_t job = 1; job <= 10; ++job) {
    pool.wake_ahead(2);
    const auto late = std::chrono::steady_clock::now() + 2 * ThreadPool::kAwake;
    while (std::chrono::steady_clock::now() < late) std::this_thread::yield();
    run_with(pool, 3, runs);
    for (const std::uint64_t count : runs) ASSERT_EQ(count, job);
  }
}

TEST(ThreadPool, WakesNoMoreThanThereAreAndTheJobMayHave) {
  ThreadPool pool(4);
  std::vector<int> runs(4, 0);
  std::atomic<int> came{0};
  pool.wake_ahead(100);
  pool.run_on_call(
      [&](std::uint32_t worker) {
        ++runs[worker];
        came.fetch_add(1);
        while (came.load() < 2) std::this_thread::yield();
      },
      2);
  EXPECT_EQ(runs, (std::vector<int>{1, 1, 0, 0}));
  pool.wake_ahead(1);
  pool.run([&](std::uint32_t worker) { ++runs[worker]; });
  EXPECT_EQ(runs, (std::vector<int>{2, 2, 1, 1}));
}

TEST(ThreadPool, MayEndWhileItsHelpersAreWoken) {
  for (int i = 0; i < 100; ++i) {
    ThreadPool pool(4);
    pool.wake_ahead(3);
  }
}

cpu_set_t allowed_processors(pid_t thread) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  EXPECT_EQ(sched_getaffinity(thread, sizeof allowed, &allowed), 0);
  return allowed;
}

// Waits for a helper to run on all processors again.
void await_freedom(pid_t helper) {
  const cpu_set_t all = allowed_processors(0);
  for (cpu_set_t its = allowed_processors(helper); !CPU_EQUAL(&its, &all); its = allowed_processors(helper))
    std::this_thread::yield();
}

TEST(ThreadPool, HelpersMayRunOnAllProcessorsAgain) {
  std::atomic<pid_t> helper{0};
  ThreadPool pool(2, [&](std::uint32_t) { helper.store(gettid()); });
  const cpu_set_t all = allowed_processors(0);
  for (int job = 0; job < 100; ++job) {
    pool.run([&](std::uint32_t) {
      const cpu_set_t its = allowed_processors(0);
      EXPECT_TRUE(CPU_EQUAL(&its, &all));
    });
    pool.run_on_call([&](std::uint32_t worker) {
      if (worker == 0) pool.call(1);
    });
    await_freedom(helper.load());  // also if it missed the job
  }
  pool.wake_ahead(1);
  await_freedom(helper.load());
}

TEST(ThreadPool, MayEndWithoutEverRunning) { const ThreadPool pool(4); }

}  // namespace
}  // namespace jackdaw::mark
