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
  EXPECT_EQ(policy.budget({0, 0}), 4 * kMebibyte);
  EXPECT_EQ(policy.budget({kMebibyte, kMebibyte}), 4 * kMebibyte);
}

TEST(GrowthPolicy, AShareOfWhatACollectionReadIsAllocated) {
  GrowthPolicy policy;
  EXPECT_EQ(policy.budget({300 * kMebibyte, 0}), 200 * kMebibyte);
  EXPECT_EQ(policy.budget({300 * kMebibyte, 30 * kMebibyte}), 210 * kMebibyte);
  policy.uncounted_bytes = 60 * kMebibyte;
  EXPECT_EQ(policy.budget({300 * kMebibyte, 0}), 160 * kMebibyte);
  policy.free_space_divisor = 6;
  EXPECT_EQ(policy.budget({300 * kMebibyte, 0}), 80 * kMebibyte);
  EXPECT_EQ(policy.budget({9 * kMebibyte, 0}), 4 * kMebibyte);
}

TEST(GrowthPolicy, AHeapMayGrowToWhatWasAskedFor) {
  GrowthPolicy policy;
  policy.minimum_heap_bytes = 100 * kMebibyte;
  EXPECT_EQ(policy.budget({0, 0}), 100 * kMebibyte);
  EXPECT_EQ(policy.budget({90 * kMebibyte, 0}), 60 * kMebibyte);
  policy.collects_by_itself = false;
  EXPECT_EQ(policy.budget({0, 0}), std::numeric_limits<std::uint64_t>::max());
}

}  // namespace
}  // namespace jackdaw::gc
