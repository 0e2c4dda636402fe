// PressureAlarm: which waits for memory are an alarm, and how often.
#include "gc/process/pressure_alarm.h"

#include <gtest/gtest.h>

#include <chrono>

namespace jackdaw::gc {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr PressureAlarm::Clock::time_point kFirstReading{std::chrono::hours(1)};

TEST(PressureAlarm, IsRaisedWhereThreadsWaitForATenthOfTheTime) {
  PressureAlarm alarm;
  EXPECT_FALSE(alarm.note(seconds(500), kFirstReading)) << "that was long ago";
  EXPECT_FALSE(alarm.is_reading_due(kFirstReading + milliseconds(999)));
  EXPECT_TRUE(alarm.is_reading_due(kFirstReading + seconds(1)));
  EXPECT_FALSE(alarm.note(seconds(500) + milliseconds(99), kFirstReading + seconds(1)));
  EXPECT_FALSE(alarm.note(seconds(500) + milliseconds(198), kFirstReading + seconds(2)));
  EXPECT_TRUE(alarm.note(seconds(500) + milliseconds(298), kFirstReading + seconds(3)));
}

TEST(PressureAlarm, IsRaisedOnceInTenSecondsAtMost) {
  PressureAlarm alarm;
  int raised = 0;
  for (int second = 0; second <= 25; ++second)
    raised += alarm.note(seconds(second), kFirstReading + seconds(second));
  EXPECT_EQ(raised, 3);
}

TEST(PressureAlarm, ReadingsThatAreFarApartAreNone) {
  PressureAlarm alarm;
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(alarm.note(seconds(6 * i), kFirstReading + seconds(6 * i)));
}

TEST(PressureAlarm, ACountThatGoesBackIsNone) {
  PressureAlarm alarm;
  alarm.note(seconds(10), kFirstReading);
  EXPECT_FALSE(alarm.note(seconds(1), kFirstReading + seconds(1)));
  EXPECT_TRUE(alarm.note(seconds(2), kFirstReading + seconds(2)));
}

}  // namespace
}  // namespace jackdaw::gc
