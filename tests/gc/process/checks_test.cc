// The collector's parts notice misuse, where they are built with JACKDAW_CHECK.
#include <gtest/gtest.h>

#include <mutex>
#include <thread>

#include "gc/process/concurrent/concurrent_marking.h"
#include "gc/process/process_collector.h"
#include "gc/process/threads/stoppable_mutex.h"
#include "gc/process/threads/thread_registry.h"
#include "gc/runtime/collector.h"
#include "gc/runtime/mutator.h"
#include "gc/weak/address_table.h"
#include "tests/checks.h"

namespace jackdaw::gc {
namespace {

class CollectorChecks : public testing::Test {
 protected:
  void SetUp() override {
    if (!testing_checks::kAreOn) GTEST_SKIP() << "built without checks";
  }
};

TEST_F(CollectorChecks, AMutexIsTakenOnceAndReleasedByItsHolder) {
  StoppableMutex mutex;
  EXPECT_CHECK_TO_FAIL(mutex.unlock(), "is_held_by_caller\\(\\)");
  EXPECT_CHECK_TO_FAIL(mutex.let_nobody_pass(), "is_held_by_caller\\(\\)");
  const std::lock_guard lock(mutex);
  EXPECT_CHECK_TO_FAIL(mutex.lock(), "!is_held_by_caller\\(\\)");
  EXPECT_CHECK_TO_FAIL(std::thread([&] { mutex.unlock(); }).join(), "is_held_by_caller\\(\\)");
}

TEST_F(CollectorChecks, ThreadsRegisterOnceAndAreResumedWhenTheyAreStopped) {
  ThreadRegistry& threads = ProcessCollector::instance().threads();
  EXPECT_CHECK_TO_FAIL(threads.register_current(), R"(current\(\) == nullptr)");
  EXPECT_CHECK_TO_FAIL(threads.stops().resume_others(), "list_\\.mutex\\.is_held_by_caller\\(\\)");
}

TEST_F(CollectorChecks, AThreadIsSuspendedStepByStep) {
  static_assert(may_follow(Suspension::none, Suspension::asked));
  static_assert(may_follow(Suspension::asked, Suspension::stopped));
  static_assert(may_follow(Suspension::stopped, Suspension::none));
  static_assert(!may_follow(Suspension::none, Suspension::stopped));
  static_assert(!may_follow(Suspension::stopped, Suspension::put_off));
}

TEST_F(CollectorChecks, APhaseFollowsFromTheOneBefore) {
  ProcessCollector& collector = ProcessCollector::instance();
  ConcurrentMarking& marking = collector.concurrent_marking();
  EXPECT_CHECK_TO_FAIL(marking.start_marking({}, {}), "lock_\\.is_held_by_caller\\(\\)");
  ASSERT_EQ(marking.phase(), ConcurrentMarking::Phase::idle);
  const auto give_up = [&] {
    const std::lock_guard lock(collector.lock());
    marking.give_up();
  };
  EXPECT_CHECK_TO_FAIL(give_up(), "may_follow\\(phase\\(\\), next\\)");
  EXPECT_CHECK_TO_FAIL(marking.start_sweeping(), "phase\\(\\) == Phase::marked");
}

TEST_F(CollectorChecks, NoEntryHasAddressZero) {
  AddressTable<int> table;
  EXPECT_CHECK_TO_FAIL(table.insert(0), "address != 0");
}

TEST_F(CollectorChecks, HandlesGoBeforeTheirMutator) {
  const auto outlive = [] {
    Collector collector(CollectorOptions{});
    auto* const mutator = new Mutator(collector);
    const Handle handle(*mutator);
    delete mutator;
  };
  EXPECT_CHECK_TO_FAIL(outlive(), "handles_ == nullptr");
}

}  // namespace
}  // namespace jackdaw::gc
