// MemoryDemand: what a heap should keep, by a clock that the tests move.
#include "gc/process/memory_demand.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace jackdaw::gc {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr MemoryDemand::Clock::time_point kStart{seconds(1000)};

// This program does not allocate.
class IdleProgram : public testing::Test {
 protected:
  IdleProgram() {
    demand_.note_allocated_anew(0, kStart - seconds(10));
    demand_.note_allocated(0, kStart - seconds(5));
  }
  std::uint64_t kept_after(milliseconds time, std::uint64_t used) { return demand_.at(kStart + time, used); }

  MemoryDemand demand_;
};

TEST_F(IdleProgram, KeepsWhatItUses) { EXPECT_EQ(kept_after(seconds(0), 7), 7U); }

TEST_F(IdleProgram, KeepsForAWhileWhatItNeeded) {
  demand_.note_collection(500, kStart);
  EXPECT_EQ(kept_after(seconds(0), 100), 500U);
  EXPECT_EQ(kept_after(milliseconds(1500), 100), 500U);
  EXPECT_EQ(kept_after(milliseconds(1750), 100), 300U);
  EXPECT_EQ(kept_after(milliseconds(1875), 100), 200U);
  EXPECT_EQ(kept_after(milliseconds(2000), 100), 100U);
  EXPECT_EQ(kept_after(seconds(100), 100), 100U);
  EXPECT_EQ(kept_after(seconds(0), 600), 600U);
}

// The demand assumes that objects died in the middle between two collections, here a second before the last.
TEST_F(IdleProgram, KeepsForAWhileWhatItNeededUpToTheMiddleBetweenCollections) {
  demand_.note_collection(500, kStart - seconds(2));
  demand_.note_collection(200, kStart);
  EXPECT_EQ(kept_after(milliseconds(500), 200), 500U);
  EXPECT_EQ(kept_after(milliseconds(750), 200), 350U);
  EXPECT_EQ(kept_after(milliseconds(1500), 100), 200U);
  EXPECT_EQ(kept_after(milliseconds(2000), 100), 100U);
}

TEST_F(IdleProgram, KeepsForAWhileWhatItNeededUpToASecondBeforeACollection) {
  demand_.note_collection(500, kStart - seconds(100));
  demand_.note_collection(200, kStart);
  EXPECT_EQ(kept_after(milliseconds(500), 200), 500U);
  EXPECT_EQ(kept_after(milliseconds(1500), 100), 200U);
}

TEST_F(IdleProgram, KeepsTheMostThatItNeededLately) {
  demand_.note_collection(500, kStart);
  for (int i = 1; i <= 4; ++i) demand_.note_collection(200, kStart + i * milliseconds(500));
  EXPECT_EQ(kept_after(milliseconds(1750), 100), 500U);
  EXPECT_EQ(kept_after(milliseconds(2000), 100), 300U);
  EXPECT_EQ(kept_after(milliseconds(3500), 100), 200U);
  EXPECT_EQ(kept_after(milliseconds(4000), 100), 100U);
}

TEST(MemoryDemand, CountsWhatWillSoonBeAllocated) {
  constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
  MemoryDemand demand;
  demand.note_collection(100 * kMebibyte, kStart - seconds(100));
  demand.note_allocated_anew(0, kStart - seconds(2));
  demand.note_allocated(2 * kMebibyte, kStart);
  const auto thirty_seconds = 30 * kMebibyte;
  EXPECT_EQ(demand.soon(100 * kMebibyte), thirty_seconds);
  EXPECT_EQ(demand.soon(5), 5U);
  EXPECT_EQ(demand.at(kStart, 5), 5 + thirty_seconds);
  EXPECT_EQ(demand.at(kStart, 90 * kMebibyte), 100 * kMebibyte) << "the next collection comes before";
  EXPECT_EQ(demand.at(kStart, 110 * kMebibyte), 110 * kMebibyte);
}

TEST(MemoryDemand, CountsTheMeanRateOfSomeSeconds) {
  constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
  MemoryDemand demand;
  demand.note_collection(1000 * kMebibyte, kStart);
  demand.note_allocated_anew(0, kStart);
  demand.note_allocated(0, kStart + seconds(1));
  for (const int second : {2, 3}) {
    demand.note_allocated(4 * kMebibyte, kStart + seconds(second));
    EXPECT_EQ(demand.soon(100 * kMebibyte), 60 * kMebibyte);
  }
  demand.note_allocated(4 * kMebibyte, kStart + seconds(4));
  EXPECT_EQ(demand.soon(kMebibyte), 0U);
}

TEST(MemoryDemand, KnowsNoRateWithoutTwoSamples) {
  constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
  MemoryDemand demand;
  demand.note_collection(kMebibyte, kStart);
  EXPECT_EQ(demand.soon(kMebibyte), kMebibyte);
  demand.note_allocated(0, kStart - seconds(100));
  EXPECT_EQ(demand.soon(kMebibyte), kMebibyte);
  demand.note_allocated_anew(0, kStart);
  demand.note_allocated(0, kStart + milliseconds(900));
  EXPECT_EQ(demand.soon(kMebibyte), kMebibyte) << "too early";
  demand.note_allocated(0, kStart + milliseconds(1000));
  EXPECT_EQ(demand.soon(kMebibyte), 0U);
  demand.note_allocated_anew(0, kStart + seconds(100));
  EXPECT_EQ(demand.soon(kMebibyte), kMebibyte) << "it may have begun to allocate just now";
}

}  // namespace
}  // namespace jackdaw::gc
