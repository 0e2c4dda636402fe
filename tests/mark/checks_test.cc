// JACKDAW_CHECK: what it says, what it costs where it is off, and that the engine's parts notice misuse.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "mark/biased_regions.h"
#include "mark/deferred_references.h"
#include "mark/overflow_list.h"
#include "mark/prefetch_buffer.h"
#include "mark/queue/bwos_lifo.h"
#include "tests/checks.h"

namespace jackdaw::mark {
namespace {

TEST(Check, IsEvaluatedOnlyWhereItIsOn) {
  bool is_evaluated = false;
  JACKDAW_CHECK((is_evaluated = true));
  EXPECT_EQ(is_evaluated, testing_checks::kAreOn);
}

class EngineChecks : public testing::Test {
 protected:
  void SetUp() override {
    if (!testing_checks::kAreOn) GTEST_SKIP() << "built without checks";
  }
};

TEST_F(EngineChecks, TellPlaceAndCondition) {
  const int two = 2;
  EXPECT_EXIT(JACKDAW_CHECK(two == 3), testing::KilledBySignal(SIGABRT),
              "^jackdaw: [^\n]*checks_test\\.cc:[0-9]+: check failed: two == 3\n$");
}

TEST_F(EngineChecks, PrefetchBufferKeepsItsBounds) {
  PrefetchBuffer<int, 4> buffer;
  EXPECT_CHECK_TO_FAIL(buffer.take_oldest(), "size\\(\\) != 0");
  for (int task = 0; task < 4; ++task) buffer.put(task);
  EXPECT_CHECK_TO_FAIL(buffer.put(4), "!is_full\\(\\)");
  EXPECT_CHECK_TO_FAIL(buffer.drop_oldest(5), "count <= size\\(\\)");
  EXPECT_CHECK_TO_FAIL(static_cast<void>(buffer.oldest(5)), "most != 0 && most <= size\\(\\)");
}

TEST_F(EngineChecks, OverflowListGivesMemoryBackWhenEmpty) {
  OverflowList<int> list;
  ASSERT_TRUE(list.push(1));
  EXPECT_CHECK_TO_FAIL(list.release_memory(), "empty\\(\\)");
}

TEST_F(EngineChecks, DeferredReferencesHaveALimit) {
  DeferredReferences<int> references;
  while (!references.is_full()) references.put(1);
  EXPECT_CHECK_TO_FAIL(references.put(1), "!is_full\\(\\)");
}

TEST_F(EngineChecks, BiasesHaveOwners) {
  EXPECT_CHECK_TO_FAIL(static_cast<void>(BiasedRegions(BiasedRegions::kMaximumWorkers)),
                       "worker < kMaximumWorkers");
  BiasedRegions worker(0);
  BiasWord odd{5};  // neither free, nor shared, nor any worker's
  const auto regions_of = [&](std::uint32_t) -> BiasedRegions& { return worker; };
  EXPECT_CHECK_TO_FAIL(worker.right_to_mark(odd, regions_of), "seen == kFree");
}

TEST_F(EngineChecks, TheOwnerTakesNoMoreThanThereIs) {
  BwosLifo<int> queue(4, 16);
  ASSERT_TRUE(queue.push(1));
  EXPECT_CHECK_TO_FAIL(queue.drop_newest(2), "count <= ");
}

}  // namespace
}  // namespace jackdaw::mark
