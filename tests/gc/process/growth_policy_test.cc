// GrowthPolicy: how much is allocated until the next collection, in heaps of any size.
#include "gc/process/growth_policy.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace jackdaw::gc {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

TEST(GrowthPolicy, WhereNextToNothingIsLiveSomethingIsAllocatedAllTheSame) {
  const GrowthPolicy policy;
  EXPECT_EQ(policy.budget({.live_bytes = 0, .root_bytes = 0}), 4 * kMebibyte);
  EXPECT_EQ(policy.budget({.live_bytes = kMebibyte, .root_bytes = kMebibyte}), 3 * kMebibyte);
  EXPECT_EQ(policy.budget_while_growing({.live_bytes = kMebibyte, .root_bytes = kMebibyte}), 2 * kMebibyte);
}

TEST(GrowthPolicy, AShareOfWhatACollectionReadIsAllocated) {
  GrowthPolicy policy;
  EXPECT_EQ(policy.budget({.live_bytes = 300 * kMebibyte, .root_bytes = 0}), 200 * kMebibyte);
  EXPECT_EQ(policy.budget({.live_bytes = 300 * kMebibyte, .root_bytes = 30 * kMebibyte}), 210 * kMebibyte);
  policy.free_space_divisor = 6;
  EXPECT_EQ(policy.budget({.live_bytes = 300 * kMebibyte, .root_bytes = 0}), 100 * kMebibyte);
  EXPECT_EQ(policy.budget({.live_bytes = 9 * kMebibyte, .root_bytes = 0}), 3 * kMebibyte);
}

TEST(GrowthPolicy, WhatIsNotScannedCountsLittle) {
  const GrowthPolicy policy;
  EXPECT_EQ(policy.budget({.live_bytes = 300 * kMebibyte, .unscanned_bytes = 120 * kMebibyte}),
            160 * kMebibyte);
}

TEST(GrowthPolicy, ALargeHeapThatIsBeingBuiltGrowsInSmallerSteps) {
  const GrowthPolicy policy;
  EXPECT_EQ(policy.budget({.live_bytes = 36 * kMebibyte, .is_growing = true}), 24 * kMebibyte);
  EXPECT_EQ(policy.budget({.live_bytes = 300 * kMebibyte, .is_growing = true}), 136 * kMebibyte);
  EXPECT_EQ(policy.budget({.live_bytes = 300 * kMebibyte, .heap_bytes = 450 * kMebibyte, .is_growing = true}),
            150 * kMebibyte)
      << "it has the room";
}

TEST(GrowthPolicy, WhatIsFreedByHandCountsAnEighthAtLeast) {
  const GrowthPolicy policy;
  GrowthPolicy::Found found{.live_bytes = 30 * kMebibyte, .new_uncounted_bytes = 5 * kMebibyte};
  EXPECT_EQ(policy.budget(found), 25 * kMebibyte);
  found.new_uncounted_bytes = 1000 * kMebibyte;
  EXPECT_EQ(policy.budget(found), 8 * 20 * kMebibyte);
}

TEST(GrowthPolicy, WhatWasAllocatedInAMarkingHasAPlaceBesideTheRest) {
  GrowthPolicy policy;
  GrowthPolicy::Found found{.live_bytes = 30 * kMebibyte, .floating_bytes = 4 * kMebibyte};
  EXPECT_EQ(policy.budget(found), 24 * kMebibyte);
  found.floating_bytes = 20 * kMebibyte;
  EXPECT_EQ(policy.budget_while_growing(found), 27 * kMebibyte + kMebibyte / 2);
  policy.free_space_divisor = 30;
  EXPECT_EQ(policy.budget_while_growing(found), 6 * kMebibyte);
}

TEST(GrowthPolicy, WhatFloatsIsNoRoomInTheHeap) {
  const GrowthPolicy policy;
  GrowthPolicy::Found found{
      .live_bytes = 30 * kMebibyte, .heap_bytes = 100 * kMebibyte, .floating_bytes = 10 * kMebibyte};
  EXPECT_EQ(policy.budget(found), 60 * kMebibyte);
  found.heap_bytes = 35 * kMebibyte;
  EXPECT_EQ(policy.budget(found), policy.budget_while_growing(found));
}

// It is data that nothing is known of yet, and would otherwise be counted only in the next collection.
TEST(GrowthPolicy, WhatFloatsInAHeapThatIsBeingBuiltIsTakenFromTheBudget) {
  const GrowthPolicy policy;
  GrowthPolicy::Found found{
      .live_bytes = 36 * kMebibyte, .floating_bytes = 10 * kMebibyte, .is_growing = true};
  EXPECT_EQ(policy.budget_while_growing(found), 14 * kMebibyte);
  found.floating_bytes = 30 * kMebibyte;
  EXPECT_EQ(policy.budget_while_growing(found), policy.minimum_budget_bytes);
  found.new_uncounted_bytes = kMebibyte;
  EXPECT_EQ(policy.budget_while_growing(found), policy.minimum_budget_bytes + kMebibyte);
}

// A program must not be stopped the more often the more threads it has.
TEST(GrowthPolicy, AProgramOfManyThreadsAllocatesMoreAtLeast) {
  const GrowthPolicy policy;
  EXPECT_EQ(policy.budget({.threads = 0}), policy.budget({.threads = 1}));
  EXPECT_EQ(policy.budget({.threads = 2}), 5 * kMebibyte);
  EXPECT_EQ(policy.minimum_heap({.threads = 16}), 19 * kMebibyte);
  EXPECT_EQ(policy.budget_while_growing({.live_bytes = 4 * kMebibyte, .threads = 2}), 3 * kMebibyte);
  EXPECT_EQ(policy.budget({.live_bytes = 300 * kMebibyte, .threads = 16}), 200 * kMebibyte) << "it is enough";
  GrowthPolicy own{.minimum_budget_bytes = kMebibyte / 2, .minimum_heap_bytes = 20 * kMebibyte};
  EXPECT_EQ(own.minimum_heap({.threads = 3}), 20 * kMebibyte);
  own.minimum_heap_bytes = kMebibyte;
  EXPECT_EQ(own.minimum_heap({.threads = 3}), kMebibyte + kMebibyte / 2);
}

TEST(GrowthPolicy, ThreadsThatAreStoppedForMuchOfTheTimeGetALargerHeap) {
  GrowthPolicy policy;
  EXPECT_EQ(policy.minimum_heap({.threads = 2, .cost = CollectionCost::kMost / 2}),
            7 * kMebibyte + 3 * kMebibyte / 4);
  EXPECT_EQ(policy.minimum_heap({.threads = 2, .cost = CollectionCost::kMost}),
            10 * kMebibyte + kMebibyte / 2);
  EXPECT_EQ(policy.minimum_heap({.threads = 1, .cost = CollectionCost::kMost}), policy.minimum_heap({}));
  policy.minimum_heap_bytes = 20 * kMebibyte;
  EXPECT_EQ(policy.minimum_heap({.threads = 2, .cost = CollectionCost::kMost}), 20 * kMebibyte);
}

// Budgets grow by what is live anyway.
TEST(GrowthPolicy, ThreadsThatAreStoppedForMarkingGetNoLargerHeap) {
  const GrowthPolicy policy;
  EXPECT_EQ(policy.minimum_heap({.live_bytes = kMebibyte, .threads = 2, .cost = CollectionCost::kMost}),
            8 * kMebibyte + kMebibyte / 2);
  EXPECT_EQ(policy.minimum_heap({.live_bytes = 3 * kMebibyte, .threads = 2, .cost = CollectionCost::kMost}),
            5 * kMebibyte);
}

TEST(GrowthPolicy, AnyBudgetMayBeTheLeast) {
  GrowthPolicy policy;
  policy.minimum_budget_bytes = std::numeric_limits<std::uint64_t>::max();
  const GrowthPolicy::Found found{.live_bytes = 30 * kMebibyte,
                                  .new_uncounted_bytes = std::numeric_limits<std::uint64_t>::max(),
                                  .floating_bytes = 4 * kMebibyte,
                                  .threads = 64};
  EXPECT_GT(policy.budget(found), std::uint64_t{1} << 50);
}

TEST(GrowthPolicy, AHeapMayGrowToWhatWasAskedFor) {
  GrowthPolicy policy;
  policy.minimum_heap_bytes = 100 * kMebibyte;
  EXPECT_EQ(policy.budget({.live_bytes = 0, .root_bytes = 0}), 100 * kMebibyte);
  EXPECT_EQ(policy.budget({.live_bytes = 90 * kMebibyte, .root_bytes = 0}), 60 * kMebibyte);
  EXPECT_EQ(policy.budget_while_growing({.live_bytes = 90 * kMebibyte}), 60 * kMebibyte);
  EXPECT_EQ(policy.budget({.live_bytes = 3 * kMebibyte}), 97 * kMebibyte);
  EXPECT_EQ(policy.budget_while_growing({.live_bytes = 3 * kMebibyte}), 2 * kMebibyte);
  policy.collects_by_itself = false;
  EXPECT_EQ(policy.budget({.live_bytes = 0, .root_bytes = 0}), std::numeric_limits<std::uint64_t>::max());
}

}  // namespace
}  // namespace jackdaw::gc
