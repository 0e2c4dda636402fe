// OwnProcessor: a thread that was woken leaves its waker's processor, and nothing else changes.
#include "mark/own_processor.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "tests/confine_thread.h"

namespace jackdaw::mark {
namespace {

cpu_set_t allowed_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  EXPECT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0) << "there are too many processors";
  return allowed;
}

TEST(OwnProcessor, IsLeftByAThreadThatMayRunOnOthers) {
  const cpu_set_t before = allowed_processors();
  if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "there is one processor";
  const OwnProcessor own;
  // The system may move the thread, too.
  bool has_left = false;
  for (int i = 0; i < 10 && !has_left; ++i) {
    const int processor = OwnProcessor::current();
    own.leave(processor);
    has_left = OwnProcessor::current() != processor;
  }
  EXPECT_TRUE(has_left);
  const cpu_set_t after = allowed_processors();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(OwnProcessor, StaysWhereAThreadMayRunNowhereElse) {
  std::thread([] {
    const int processor = OwnProcessor::current();
    confine_this_thread(processor);
    OwnProcessor().leave(processor);
    EXPECT_EQ(OwnProcessor::current(), processor);
    const cpu_set_t after = allowed_processors();
    EXPECT_EQ(CPU_COUNT(&after), 1);
  }).join();
}

TEST(OwnProcessor, StaysWhereTheOtherThreadIsElsewhere) {
  const OwnProcessor own;
  const cpu_set_t before = allowed_processors();
  for (const int processor : {-1, 1 << 20}) own.leave(processor);
  const cpu_set_t after = allowed_processors();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace
}  // namespace jackdaw::mark
