// MemoryDemand: what a heap should keep, by a clock that the tests move.
#include "gc/process/memory_demand.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace jackdaw::gc {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kUnitOfDemand = std::uint64_t{1} << 20;
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
  EXPECT_EQ(kept_after(seconds(2), 100), 500U);
  EXPECT_EQ(kept_after(milliseconds(2500), 100), 300U);
  EXPECT_EQ(kept_after(milliseconds(2750), 100), 200U);
  EXPECT_EQ(kept_after(seconds(3), 100), 100U);
  EXPECT_EQ(kept_after(seconds(100), 100), 100U);
  EXPECT_EQ(kept_after(seconds(0), 600), 600U);
}

// The heap needs what a collection lets it expect until the next one.
TEST_F(IdleProgram, KeepsForAWhileWhatItNeededUpToTheLastCollection) {
  demand_.note_collection(500, kStart - seconds(100));
  demand_.note_collection(200, kStart);
  EXPECT_EQ(kept_after(seconds(2), 100), 500U);
  EXPECT_EQ(kept_after(milliseconds(2500), 100), 300U);
  EXPECT_EQ(kept_after(seconds(3), 100), 100U);
}

TEST_F(IdleProgram, KeepsTheMostThatItNeededLately) {
  demand_.note_collection(500, kStart - seconds(10));
  for (int i = 0; i <= 4; ++i) demand_.note_collection(200, kStart + i * milliseconds(500));
  EXPECT_EQ(kept_after(milliseconds(2000), 100), 500U);
  EXPECT_EQ(kept_after(milliseconds(2500), 100), 300U);
  EXPECT_EQ(kept_after(milliseconds(3500), 100), 200U);
  EXPECT_EQ(kept_after(milliseconds(5000), 100), 100U);
}

TEST(MemoryDemand, CountsWhatWillSoonBeAllocated) {
  MemoryDemand demand;
  demand.note_collection(100 * kUnitOfDemand, kStart - seconds(100));
  demand.note_allocated_anew(0, kStart - seconds(2));
  demand.note_allocated(2 * kUnitOfDemand, kStart);
  const auto thirty_seconds = 30 * kUnitOfDemand;
  EXPECT_EQ(demand.soon(100 * kUnitOfDemand), thirty_seconds);
  EXPECT_EQ(demand.soon(5), 5U);
  EXPECT_EQ(demand.at(kStart, 5), 5 + thirty_seconds);
  EXPECT_EQ(demand.at(kStart, 90 * kUnitOfDemand), 100 * kUnitOfDemand) << "the next collection comes before";
  EXPECT_EQ(demand.at(kStart, 110 * kUnitOfDemand), 110 * kUnitOfDemand);
}

TEST(MemoryDemand, CountsTheMeanRateOfSomeSeconds) {
  MemoryDemand demand;
  demand.note_collection(1000 * kUnitOfDemand, kStart);
  demand.note_allocated_anew(0, kStart);
  demand.note_allocated(0, kStart + seconds(1));
  for (const int second : {2, 3}) {
    demand.note_allocated(4 * kUnitOfDemand, kStart + seconds(second));
    EXPECT_EQ(demand.soon(100 * kUnitOfDemand), 60 * kUnitOfDemand);
  }
  demand.note_allocated(4 * kUnitOfDemand, kStart + seconds(4));
  EXPECT_EQ(demand.soon(kUnitOfDemand), 0U);
}

TEST(MemoryDemand, KnowsNoRateWithoutTwoSamples) {
  MemoryDemand demand;
  demand.note_collection(kUnitOfDemand, kStart);
  EXPECT_EQ(demand.soon(kUnitOfDemand), kUnitOfDemand);
  demand.note_allocated(0, kStart - seconds(100));
  EXPECT_EQ(demand.soon(kUnitOfDemand), kUnitOfDemand);
  demand.note_allocated_anew(0, kStart);
  demand.note_allocated(0, kStart + milliseconds(900));
  EXPECT_EQ(demand.soon(kUnitOfDemand), kUnitOfDemand) << "too early";
  demand.note_allocated(0, kStart + milliseconds(1000));
  EXPECT_EQ(demand.soon(kUnitOfDemand), 0U);
  demand.note_allocated_anew(0, kStart + seconds(100));
  EXPECT_EQ(demand.soon(kUnitOfDemand), kUnitOfDemand) << "it may have begun to allocate just now";
}

}  // namespace
}  // namespace jackdaw::gc
