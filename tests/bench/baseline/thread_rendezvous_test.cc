// Threads that are counted: those that come in time, each once.
#include "bench/baseline/thread_rendezvous.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "mark/thread_pool.h"

namespace jackdaw::bench {
namespace {

TEST(ThreadRendezvous, IsOverWhenAllHaveCome) {
  for (const std::uint32_t expected : {1U, 2U, 5U}) {
    mark::ThreadPool threads(expected);
    ThreadRendezvous thread_rendezvous(expected, std::chrono::hours(1));
    threads.run([&](std::uint32_t) { thread_rendezvous.come(); });
    EXPECT_EQ(thread_rendezvous.came(), expected);
  }
}

TEST(ThreadRendezvous, CountsNoThreadThatComesWhenItIsTooLate) {
  ThreadRendezvous thread_rendezvous(3, std::chrono::milliseconds(1));
  for (int i = 0; i < 3; ++i) thread_rendezvous.come();
  EXPECT_EQ(thread_rendezvous.came(), 1U) << "one thread, three times";
}

}  // namespace
}  // namespace jackdaw::bench
