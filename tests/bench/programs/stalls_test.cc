// Stalls: which gaps between readings of the clock count, and what they leave of the worst window.
#include "bench/programs/latency/stalls.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <memory>

namespace jackdaw::bench {
namespace {

constexpr std::uint64_t kMicrosecond = 1000;
constexpr std::uint64_t kMillisecond = 1000 * kMicrosecond;

// Returns the stalls of a thread that began at the first of these times and read the clock at the others.
std::unique_ptr<Stalls> stalls_between(std::initializer_list<std::uint64_t> readings) {
  auto stalls = std::make_unique<Stalls>();
  stalls->last_reading = *readings.begin();
  for (const std::uint64_t reading : readings) note_reading(stalls.get(), reading);
  return stalls;
}

TEST(LatencyStalls, AreGapsOfMoreThanAHundredMicroseconds) {
  const auto stalls = stalls_between({5 * kMillisecond, 5 * kMillisecond + 100 * kMicrosecond,
                                      5 * kMillisecond + 201 * kMicrosecond, 7 * kMillisecond});
  ASSERT_EQ(stalls->kept_count, 2U);
  EXPECT_EQ(stalls->kept[0].start, 5 * kMillisecond + 100 * kMicrosecond);
  EXPECT_EQ(stalls->kept[0].end, 5 * kMillisecond + 201 * kMicrosecond);
  EXPECT_EQ(stalls->lengths.largest, 1799 * kMicrosecond);
}

TEST(LatencyStalls, BeyondThoseKeptAreCounted) {
  auto stalls = std::make_unique<Stalls>();
  for (std::uint64_t i = 1; i <= kMostKept + 3; ++i) note_reading(stalls.get(), i * kMillisecond);
  EXPECT_EQ(stalls->kept_count, std::uint64_t{kMostKept});
  EXPECT_EQ(stalls->lengths.count, std::uint64_t{kMostKept} + 3);
}

TEST(LatencyStalls, NoneLeaveTheWholeWindow) {
  EXPECT_DOUBLE_EQ(minimum_utilisation_percent(stalls_between({0}).get(), kMillisecond), 100);
}

TEST(LatencyStalls, OneLongerThanTheWindowLeavesNothing) {
  const auto stalls = stalls_between({0, 2 * kMillisecond});
  EXPECT_DOUBLE_EQ(minimum_utilisation_percent(stalls.get(), kMillisecond), 0);
  EXPECT_DOUBLE_EQ(minimum_utilisation_percent(stalls.get(), 10 * kMillisecond), 80);
}

// A short one, 4 ms after that a long one: a window of 10 ms has most of both when it ends with the long one.
TEST(LatencyStalls, WorstWindowMayEndWithOne) {
  const auto stalls = stalls_between({20 * kMillisecond, 22 * kMillisecond});
  stalls->last_reading = 26 * kMillisecond;
  note_reading(stalls.get(), 31 * kMillisecond);
  EXPECT_EQ(most_stalled(stalls.get(), 10 * kMillisecond), 6 * kMillisecond);
}

// The reverse of the test before: the window begins with the long stall.
TEST(LatencyStalls, WorstWindowMayBeginWithOne) {
  const auto stalls = stalls_between({20 * kMillisecond, 25 * kMillisecond});
  stalls->last_reading = 29 * kMillisecond;
  note_reading(stalls.get(), 31 * kMillisecond);
  EXPECT_EQ(most_stalled(stalls.get(), 10 * kMillisecond), 6 * kMillisecond);
  EXPECT_EQ(most_stalled(stalls.get(), 20 * kMillisecond), 7 * kMillisecond);
}

}  // namespace
}  // namespace jackdaw::bench
