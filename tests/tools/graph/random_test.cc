// The random numbers of generated graphs.
#include "tools/graph/random.h"

#include <gtest/gtest.h>

#include <array>

namespace jackdaw::tools {
namespace {

TEST(Random, SequenceIsTheSameEverywhere) {
  // Computed from the published algorithms with another program.
  Random random(0);
  EXPECT_EQ(random.next(), 0x99ec'5f36'cb75'f2b4U);
  EXPECT_EQ(random.next(), 0xbf6e'1f78'4956'452aU);
}

TEST(Random, SeedsDiffer) { EXPECT_NE(Random(1).next(), Random(2).next()); }

TEST(Random, BelowStaysBelow) {
  Random random(1);
  for (const std::uint32_t bound : {1U, 2U, 3U, 1000U, 0x8000'0001U, 0xffff'ffffU}) {
    for (int i = 0; i < 1000; ++i) ASSERT_LT(random.below(bound), bound);
  }
}

TEST(Random, BelowIsUniform) {
  constexpr int kDraws = 300'000;
  // Three quarters of 2^32: a draw without rejection would favour a third of the numbers twofold.
  constexpr std::uint32_t kBound = 0xc000'0000;
  Random random(1);
  std::array<int, 3> counts{};
  for (int i = 0; i < kDraws; ++i) ++counts[random.below(kBound) % 3];
  for (const int count : counts) EXPECT_NEAR(count, 100'000, 3'000);
}

}  // namespace
}  // namespace jackdaw::tools
