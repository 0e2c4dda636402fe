// MarkingOnDemand: helper threads start with the first heap that is not small.
#include "gc/process/marking_on_demand.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tests/address_space_limit.h"
#include "tests/confine_thread.h"

namespace jackdaw::gc {
namespace {

constexpr std::uint64_t kSmall = std::uint64_t{1} << 20;
constexpr std::uint64_t kLarge = kSmall + 1;
constexpr std::uint32_t kThreads = 3;

class MarkingOnDemandTest : public testing::Test {
 protected:
  MarkingOnDemandTest() {
    options_.engine.threads = kThreads;
    options_.engine.on_helper_start = [this](std::uint32_t) { started_.fetch_add(1); };
  }

  MarkingOptions options_;
  std::atomic<std::uint32_t> started_{0};  // helpers; all are counted when the engine is gone
};

TEST_F(MarkingOnDemandTest, OneThreadMarksASmallHeap) {
  {
    MarkingOnDemand marking(options_, false);
    EXPECT_EQ(marking.for_heap_of(0).marker().worker_count(), 1U);
    EXPECT_EQ(marking.for_heap_of(kSmall).marker().worker_count(), 1U);
    EXPECT_EQ(marking.thread_count(), kThreads);
  }
  EXPECT_EQ(started_.load(), 0U);
}

TEST_F(MarkingOnDemandTest, HelpersStartOnceForALargerOne) {
  {
    MarkingOnDemand marking(options_, false);
    MarkEngine& first = marking.for_heap_of(kLarge);
    EXPECT_EQ(first.marker().worker_count(), kThreads);
    EXPECT_EQ(&marking.for_heap_of(0), &first);
  }
  EXPECT_EQ(started_.load(), kThreads - 1);
}

TEST_F(MarkingOnDemandTest, HelpersStartWhenTheyAreAskedFor) {
  MarkingOnDemand marking(options_, false);
  marking.start_helpers();
  EXPECT_EQ(marking.for_heap_of(0).marker().worker_count(), kThreads);
}

TEST_F(MarkingOnDemandTest, HelpersStartAtOnceWhereAddressesAreLimited) {
  EXPECT_FALSE(MarkingOnDemand::starts_at_once());
  const AddressSpaceLimit limit(std::size_t{1} << 30);
  EXPECT_TRUE(MarkingOnDemand::starts_at_once());
}

TEST_F(MarkingOnDemandTest, HelpersStartAtOnceWhereTheyMust) {
  MarkingOnDemand marking(options_, true);
  EXPECT_EQ(marking.for_heap_of(0).marker().worker_count(), kThreads);
}

TEST_F(MarkingOnDemandTest, HelpersAreStartedLaterWhereTheyMayNotBeNow) {
  MarkingOnDemand marking(options_, false);
  EXPECT_EQ(marking.for_heap_of(kLarge, false).marker().worker_count(), 1U);
  EXPECT_EQ(marking.for_heap_of(kLarge).marker().worker_count(), kThreads);
}

TEST_F(MarkingOnDemandTest, AfterTheEndItBeginsAgain) {
  MarkingOnDemand marking(options_, false);
  marking.start_helpers();
  marking.end();
  EXPECT_EQ(started_.load(), kThreads - 1);
  EXPECT_EQ(marking.thread_count(), kThreads);
  EXPECT_EQ(marking.for_heap_of(0).marker().worker_count(), 1U);
  EXPECT_EQ(marking.for_heap_of(kLarge).marker().worker_count(), kThreads);
}

// A program's thread that is bound to one processor does not bind the helpers.
TEST_F(MarkingOnDemandTest, HelpersRunWhereTheFirstThreadMayRun) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "there is one processor";
  int most_processors = 0;
  options_.engine.threads = 2;
  options_.engine.on_helper_start = [&](std::uint32_t) {
    cpu_set_t own;
    if (sched_getaffinity(0, sizeof own, &own) == 0) most_processors = CPU_COUNT(&own);
  };
  {
    MarkingOnDemand marking(options_, false);
    confine_this_thread(sched_getcpu());
    marking.start_helpers();
    cpu_set_t after;
    ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_EQ(CPU_COUNT(&after), 1);
    ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  }  // waits for the helper
  EXPECT_EQ(most_processors, CPU_COUNT(&all));
}

}  // namespace
}  // namespace jackdaw::gc
