// Worker statistics: sums, peaks and the steal percentage.
#include "mark/statistics.h"

#include <gtest/gtest.h>

#include <array>

namespace jackdaw::mark {
namespace {

TEST(WorkerStatistics, AddSumsCountsAndKeepsPeaks) {
  WorkerStatistics first;
  first.tasks_executed = 10;
  first.steals = 1;
  first.steals_by_distance = {1, 0, 0, 0};
  first.tasks_stolen = 1;
  first.overflow_peak = 7;
  first.longest_contended_streak = 2;
  first.idle = std::chrono::nanoseconds(5);
  WorkerStatistics second;
  second.tasks_executed = 30;
  second.steals = 1;
  second.steals_by_distance = {0, 1, 0, 0};
  second.tasks_stolen = 3;
  second.overflow_peak = 4;
  second.longest_contended_streak = 9;
  second.idle = std::chrono::nanoseconds(6);
  const WorkerStatistics sum = total(std::array{first, second});
  EXPECT_EQ(sum.tasks_executed, 40U);
  EXPECT_EQ(sum.steals, 2U);
  EXPECT_EQ(sum.steals_remote(), 1U);
  EXPECT_EQ(sum.tasks_stolen, 4U);
  EXPECT_EQ(sum.overflow_peak, 7U);
  EXPECT_EQ(sum.longest_contended_streak, 9U);
  EXPECT_EQ(sum.idle.count(), 11);
  EXPECT_DOUBLE_EQ(sum.steal_percent(), 10.0);
}

TEST(WorkerStatistics, NothingExecutedMeansNothingStolen) {
  EXPECT_EQ(WorkerStatistics{}.steal_percent(), 0.0);
}

}  // namespace
}  // namespace jackdaw::mark
