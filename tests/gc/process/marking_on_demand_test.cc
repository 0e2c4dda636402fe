// MarkingOnDemand: helper threads start with the first heap that is not small.
#include "gc/process/marking_on_demand.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdint>
#include <filesystem>
#include <iterator>

namespace jackdaw::gc {
namespace {

constexpr std::uint64_t kSmall = std::uint64_t{1} << 20;
constexpr std::uint64_t kLarge = kSmall + 1;
constexpr std::uint32_t kThreads = 3;

MarkingOptions options() {
  MarkingOptions options;
  options.engine.threads = kThreads;
  return options;
}

std::ptrdiff_t threads_of_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST(MarkingOnDemand, OneThreadMarksASmallHeap) {
  const std::ptrdiff_t before = threads_of_process();
  MarkingOnDemand marking(options());
  EXPECT_EQ(marking.for_heap_of(0).worker_count(), 1U);
  EXPECT_EQ(marking.for_heap_of(kSmall).worker_count(), 1U);
  EXPECT_EQ(threads_of_process(), before);
  EXPECT_EQ(marking.thread_count(), kThreads);
}

TEST(MarkingOnDemand, HelpersStartOnceForALargerOne) {
  const std::ptrdiff_t before = threads_of_process();
  MarkingOnDemand marking(options());
  Marking& first = marking.for_heap_of(kLarge);
  EXPECT_EQ(first.worker_count(), kThreads);
  EXPECT_EQ(threads_of_process(), before + kThreads - 1);
  EXPECT_EQ(&marking.for_heap_of(0), &first);
}

TEST(MarkingOnDemand, HelpersStartWhenTheyAreAskedFor) {
  MarkingOnDemand marking(options());
  marking.start_helpers();
  EXPECT_EQ(marking.for_heap_of(0).worker_count(), kThreads);
}

TEST(MarkingOnDemand, AfterTheEndItBeginsAgain) {
  MarkingOnDemand marking(options());
  marking.start_helpers();
  const std::ptrdiff_t with_helpers = threads_of_process();
  marking.end();
  EXPECT_EQ(marking.thread_count(), kThreads);
  EXPECT_EQ(marking.for_heap_of(0).worker_count(), 1U);
  EXPECT_LT(threads_of_process(), with_helpers);
  EXPECT_EQ(marking.for_heap_of(kLarge).worker_count(), kThreads);
}

// A program's thread that is bound to one processor does not bind the helpers.
TEST(MarkingOnDemand, HelpersRunWhereTheFirstThreadMayRun) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "there is one processor";
  MarkingOptions with_look = options();
  int most_processors = 0;
  with_look.engine.threads = 2;
  with_look.engine.on_helper_start = [&](std::uint32_t) {
    cpu_set_t own;
    if (sched_getaffinity(0, sizeof own, &own) == 0) most_processors = CPU_COUNT(&own);
  };
  {
    MarkingOnDemand marking(with_look);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    marking.start_helpers();
    cpu_set_t after;
    ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&after, &one));
    ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  }  // waits for the helper
  EXPECT_EQ(most_processors, CPU_COUNT(&all));
}

}  // namespace
}  // namespace jackdaw::gc
