// GrowthPolicy: how much is allocated until the next collection, in heaps of any size.
#include "gc/process/growth_policy.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace jackdaw::gc {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

TEST(GrowthPolicy, WhereNothingIsLiveMemoryIsUsedAgainSoon) {
  const GrowthPolicy policy;
  EXPECT_EQ(policy.budget({0, 0}), 8 * kMebibyte);
  EXPECT_EQ(policy.budget({kMebibyte / 4, kMebibyte / 8}), 8 * kMebibyte);
}

TEST(GrowthPolicy, ASmallHeapGrowsWithWhatACollectionReads) {
  const GrowthPolicy policy;
  EXPECT_EQ(policy.budget({kMebibyte, 0}), 16 * kMebibyte);
  EXPECT_EQ(policy.budget({0, kMebibyte}), 16 * kMebibyte);
  EXPECT_EQ(policy.budget({kMebibyte, kMebibyte}), 23 * kMebibyte);
  EXPECT_EQ(policy.budget({10 * kMebibyte, 0}), 14 * kMebibyte);
}

TEST(GrowthPolicy, EachThreadHasItsShareWhileTheHeapIsSmall) {
  const GrowthPolicy policy;
  EXPECT_EQ(policy.budget({0, 0, 2}), 16 * kMebibyte);
  EXPECT_EQ(policy.budget({0, 0, 100}), 24 * kMebibyte);
  EXPECT_EQ(policy.budget({kMebibyte, 0, 100}), 23 * kMebibyte);
  EXPECT_EQ(policy.budget({300 * kMebibyte, 0, 100}), 150 * kMebibyte);
}

TEST(GrowthPolicy, ALargeOneGrowsByHalfOfWhatIsLive) {
  GrowthPolicy policy;
  EXPECT_EQ(policy.budget({300 * kMebibyte, 100 * kMebibyte}), 150 * kMebibyte);
  policy.uncounted_bytes = 60 * kMebibyte;
  EXPECT_EQ(policy.budget({300 * kMebibyte, 0}), 120 * kMebibyte);
  policy.free_space_divisor = 6;
  EXPECT_EQ(policy.budget({300 * kMebibyte, 0}), 60 * kMebibyte);
  EXPECT_EQ(policy.budget({20 * kMebibyte, 0}), 8 * kMebibyte);
}

TEST(GrowthPolicy, AHeapMayGrowToWhatWasAskedFor) {
  GrowthPolicy policy;
  policy.minimum_heap_bytes = 100 * kMebibyte;
  EXPECT_EQ(policy.budget({0, 0}), 100 * kMebibyte);
  EXPECT_EQ(policy.budget({90 * kMebibyte, 0}), 45 * kMebibyte);
  policy.collects_by_itself = false;
  EXPECT_EQ(policy.budget({0, 0}), std::numeric_limits<std::uint64_t>::max());
}

}  // namespace
}  // namespace jackdaw::gc
