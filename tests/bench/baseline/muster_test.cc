// Threads that are counted: those that come in time, each once.
#include "bench/baseline/muster.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "mark/thread_pool.h"

namespace jackdaw::bench {
namespace {

TEST(Muster, IsOverWhenAllHaveCome) {
  for (const std::uint32_t expected : {1U, 2U, 5U}) {
    mark::ThreadPool threads(expected);
    Muster muster(expected, std::chrono::hours(1));
    threads.run([&](std::uint32_t) { muster.come(); });
    EXPECT_EQ(muster.came(), expected);
  }
}

TEST(Muster, CountsNoThreadThatComesWhenItIsTooLate) {
  Muster muster(3, std::chrono::milliseconds(1));
  for (int i = 0; i < 3; ++i) muster.come();
  EXPECT_EQ(muster.came(), 1U) << "one thread, three times";
}

}  // namespace
}  // namespace jackdaw::bench
