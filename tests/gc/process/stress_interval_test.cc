// stress_interval: how many collections come at random in a program's life.
#include "gc/process/stress_interval.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace jackdaw::gc {
namespace {

constexpr std::uint64_t kMib = 1 << 20;

// On average, in a program whose threads ask for memory `asked` times.
std::uint64_t collections_of(std::uint64_t asked, std::uint64_t live_bytes) {
  std::uint64_t collections = 0;
  std::uint64_t until_now = 0;
  while ((until_now += stress_interval(live_bytes, collections)) <= asked) ++collections;
  return collections;
}

TEST(StressInterval, WhereLittleIsLiveCollectionsComeAsOftenInAnyLife) {
  for (const std::uint64_t live : {std::uint64_t{0}, kMib - 1}) {
    EXPECT_EQ(collections_of(64'000, live), 1000U);
    EXPECT_EQ(collections_of(6'400'000, live), 100'000U);
  }
}

TEST(StressInterval, AShortProgramMeetsManyWhereMuchIsLive) {
  EXPECT_EQ(collections_of(64 + 16 * 10, 10 * kMib), 1U);
  EXPECT_GE(collections_of(10'000, 10 * kMib), 35U);
}

// Eight times as few as at first, and so is the time that they take.
TEST(StressInterval, ALongProgramMeetsFewerWhereMuchIsLive) {
  for (const std::uint64_t mib : {1U, 10U, 100U}) {
    const std::uint64_t asked = 10'000'000 * mib;
    const std::uint64_t collections = collections_of(asked, mib * kMib);
    EXPECT_LE(collections, asked / (64 + 128 * mib) + 900);
    EXPECT_GE(collections, asked / (64 + 128 * mib));
  }
}

}  // namespace
}  // namespace jackdaw::gc
