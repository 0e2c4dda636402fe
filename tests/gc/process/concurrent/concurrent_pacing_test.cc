#include "gc/process/concurrent/concurrent_pacing.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace jackdaw::gc {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

TEST(ConcurrentPacing, KnowsFromCollectionsHowLongOthersTake) {
  ConcurrentPacing pacing;
  pacing.note_stopped(milliseconds(10), 100 * kMebibyte);
  EXPECT_FALSE(pacing.takes_longer(milliseconds(3), 20 * kMebibyte, 0));
  EXPECT_TRUE(pacing.takes_longer(milliseconds(3), 40 * kMebibyte, 0));
  EXPECT_TRUE(pacing.takes_longer(milliseconds(0), 0, 0));
}

TEST(ConcurrentPacing, TakesBigHeapsForSlowAndSmallOnesForFastWhereItKnowsNothing) {
  const ConcurrentPacing pacing;
  EXPECT_FALSE(pacing.takes_longer(milliseconds(3), 4 * kMebibyte, 0));
  EXPECT_TRUE(pacing.takes_longer(milliseconds(3), 1024 * kMebibyte, 0));
}

TEST(ConcurrentPacing, ExpectsThatAsMuchSurvivesAsBefore) {
  ConcurrentPacing pacing;
  pacing.note_stopped(milliseconds(10), 100 * kMebibyte);
  EXPECT_TRUE(pacing.takes_longer(milliseconds(3), 20 * kMebibyte, 20 * kMebibyte));
  pacing.note_live(0, 200 * kMebibyte, 20 * kMebibyte);
  EXPECT_FALSE(pacing.takes_longer(milliseconds(3), 20 * kMebibyte, 20 * kMebibyte));
  EXPECT_TRUE(pacing.takes_longer(milliseconds(3), 20 * kMebibyte, 200 * kMebibyte));
  // Less is live than before.
  pacing.note_live(20 * kMebibyte, 200 * kMebibyte, 10 * kMebibyte);
  EXPECT_FALSE(pacing.takes_longer(milliseconds(3), 20 * kMebibyte, 2000 * kMebibyte));
}

void pass_cycles(ConcurrentPacing& pacing) {
  for (int i = 0; i < 100; ++i) {
    pacing.begin(0);
    pacing.end(kMebibyte);
  }
}

// One may have waited for a processor.
TEST(ConcurrentPacing, IsNotMisledByOneSlowCollection) {
  ConcurrentPacing pacing;
  pacing.note_stopped(seconds(1), kMebibyte);
  EXPECT_FALSE(pacing.takes_longer(milliseconds(3), kMebibyte, 0));
  pacing.note_stopped(seconds(1), kMebibyte);
  EXPECT_TRUE(pacing.takes_longer(milliseconds(3), kMebibyte, 0));
}

// The first may have waited for a processor, or for the system to find memory.
TEST(ConcurrentPacing, IsSureOfWhatTwoCollectionsAgreeOn) {
  ConcurrentPacing pacing;
  const auto is_sure = [&] { return pacing.surely_takes_longer(milliseconds(20), 40 * kMebibyte, 0); };
  EXPECT_FALSE(pacing.surely_takes_longer(milliseconds(20), std::uint64_t{1} << 40, 0)) << "none was made";
  pacing.note_stopped(milliseconds(10), 40 * kMebibyte);
  pacing.note_stopped(milliseconds(30), 40 * kMebibyte);
  EXPECT_TRUE(pacing.takes_longer(milliseconds(20), 40 * kMebibyte, 0));
  EXPECT_FALSE(is_sure());
  pacing.note_stopped(milliseconds(30), 40 * kMebibyte);
  EXPECT_TRUE(is_sure());
  pacing.note_stopped(milliseconds(10), 40 * kMebibyte);
  EXPECT_FALSE(is_sure());
}

TEST(ConcurrentPacing, WaitsTwiceAsLongAfterEachCycleThatFailed) {
  ConcurrentPacing pacing;
  const auto stops_until_sure = [&] {
    int stops = 0;
    for (; !pacing.surely_takes_longer(milliseconds(20), 40 * kMebibyte, 0); ++stops)
      pacing.note_stopped(milliseconds(30), 40 * kMebibyte);
    return stops;
  };
  EXPECT_EQ(stops_until_sure(), 2);
  for (const int stops : {8, 16, 32}) {
    pacing.note_failed();
    EXPECT_EQ(stops_until_sure(), stops);
  }
}

TEST(ConcurrentPacing, CallsACycleAFailureThatWasNoGain) {
  ConcurrentPacing pacing;
  pacing.note_stopped(milliseconds(30), 40 * kMebibyte);
  EXPECT_TRUE(pacing.is_failure(milliseconds(16), 40 * kMebibyte));
  EXPECT_FALSE(pacing.is_failure(milliseconds(14), 40 * kMebibyte));
}

TEST(ConcurrentPacing, KnowsHowMuchIsAllocatedInACycle) {
  ConcurrentPacing pacing;
  const auto begin = std::chrono::steady_clock::now() + seconds(1);
  const auto end = begin + milliseconds(30);
  pacing.note_allocated(begin, begin, 0);
  pacing.note_stopped(milliseconds(30), 40 * kMebibyte);
  // 120 ms, in which 10 MiB are little.
  pacing.note_allocated(begin + milliseconds(120), end + milliseconds(120), 11 * kMebibyte);
  EXPECT_FALSE(pacing.allocates_little(end + milliseconds(120), 0, 4));
  EXPECT_TRUE(pacing.allocates_little(end + milliseconds(120), 0, 3));
  EXPECT_TRUE(pacing.allocates_little(end + milliseconds(240), 9 * kMebibyte, 4)) << "lately";
  EXPECT_FALSE(pacing.allocates_little(end + milliseconds(240), 11 * kMebibyte, 4));
}

TEST(ConcurrentPacing, LooksAgainAtHeapsThatWereNotMuchTooSlow) {
  ConcurrentPacing pacing;
  pacing.note_stopped(milliseconds(4), 20 * kMebibyte);
  EXPECT_TRUE(pacing.takes_longer(milliseconds(3), 20 * kMebibyte, 0));
  pass_cycles(pacing);
  EXPECT_FALSE(pacing.takes_longer(milliseconds(3), 20 * kMebibyte, 0));
  EXPECT_TRUE(pacing.takes_longer(milliseconds(3), 40 * kMebibyte, 0));
}

TEST(ConcurrentPacing, BeginsEarlierTheMoreIsAllocatedInACycle) {
  ConcurrentPacing pacing;
  constexpr std::uint64_t kBudget = 800 * kMebibyte;
  EXPECT_EQ(pacing.until_beginning(kBudget), 700 * kMebibyte);
  pacing.begin(100 * kMebibyte);
  pacing.end(300 * kMebibyte);
  EXPECT_EQ(pacing.until_beginning(kBudget), 500 * kMebibyte);
  pacing.begin(0);
  pacing.end(kBudget);
  EXPECT_EQ(pacing.until_beginning(kBudget), 400 * kMebibyte);
  // By hand more was freed than was allocated.
  pacing.begin(kBudget);
  pacing.end(0);
  EXPECT_EQ(pacing.until_beginning(kBudget), 400 * kMebibyte);
  pacing.begin(0);
  pacing.end(0);
  EXPECT_EQ(pacing.until_beginning(kBudget), 500 * kMebibyte);
}

TEST(ConcurrentPacing, BeginsEarlierWhereFreeMemoryCannotBeUsed) {
  ConcurrentPacing pacing;
  constexpr std::uint64_t kRoom = 800 * kMebibyte;
  EXPECT_EQ(pacing.until_beginning_within(kRoom), 700 * kMebibyte);
  pacing.note_memory_ended(400 * kMebibyte, kRoom);
  EXPECT_EQ(pacing.until_beginning_within(kRoom), 350 * kMebibyte);
  pacing.note_memory_ended(600 * kMebibyte, kRoom);  // after the heap grew
  EXPECT_EQ(pacing.until_beginning_within(kRoom), 350 * kMebibyte);
  pacing.begin(0);
  pacing.end(0);
  EXPECT_EQ(pacing.until_beginning_within(kRoom), 350 * kMebibyte);
  // It is tried whether more can.
  pacing.begin(0);
  pacing.end(0);
  EXPECT_EQ(pacing.until_beginning_within(kRoom), 450 * kMebibyte * 7 / 8);
  pacing.note_memory_ended(900 * kMebibyte, kRoom);
  EXPECT_EQ(pacing.until_beginning_within(kRoom), 700 * kMebibyte);
}

TEST(ConcurrentPacing, DoesNotCountWhatWasAllocatedInACycleAsLive) {
  ConcurrentPacing pacing;
  pacing.begin(10 * kMebibyte);
  pacing.end(30 * kMebibyte);
  EXPECT_EQ(pacing.known_live(100 * kMebibyte), 80 * kMebibyte);
  EXPECT_EQ(pacing.known_live(30 * kMebibyte), 15 * kMebibyte);
}

TEST(ConcurrentPacing, GrantsMoreAsTimePassesUpToALimit) {
  constexpr std::uint64_t kMost = 1490 * kMebibyte;  // eight times as long as the last marking
  ConcurrentPacing pacing;
  pacing.begin(0);
  std::uint64_t granted = pacing.until_now(800 * kMebibyte);
  EXPECT_GE(granted, 850 * kMebibyte);
  while (granted < kMost) granted = pacing.until_now(800 * kMebibyte);
  EXPECT_EQ(granted, kMost);
}

}  // namespace
}  // namespace jackdaw::gc
