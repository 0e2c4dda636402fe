// The thread pool: every worker runs every job once, and what it wrote is seen.
#include "mark/thread_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

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

TEST(ThreadPool, MayEndWithoutEverRunning) { const ThreadPool pool(4); }

}  // namespace
}  // namespace jackdaw::mark
