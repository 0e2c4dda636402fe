// ShortStops: threads poll where each has a processor and stops are short, and sleep elsewhere.
#include "gc/process/threads/short_stops.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace jackdaw::gc {
namespace {

using std::chrono::microseconds;

constexpr ShortStops::Clock::duration kNotAtAll{0};

class ShortStopsTest : public testing::Test {
 protected:
  // Makes stops that take `time` each; the last one is under way on return.
  void stop_often(std::uint32_t others, ShortStops::Clock::duration time) {
    for (int i = 0; i < 20; ++i) {
      stops_.begin(others);
      stops_.note_all_stopped(now_);
      stops_.end(now_ += time);
    }
    stops_.begin(others);
  }

  ShortStops stops_{4};
  ShortStops::Clock::time_point now_;
};

TEST_F(ShortStopsTest, ArePolledForAsLongAsTheyTake) {
  stop_often(3, microseconds(40));
  EXPECT_GT(stops_.answering_time(), kNotAtAll);
  EXPECT_GE(stops_.stopped_polling_time(), microseconds(60));
  EXPECT_LE(stops_.stopped_polling_time(), microseconds(100));
  EXPECT_GT(stops_.stopping_time(), stops_.stopped_polling_time());
}

TEST_F(ShortStopsTest, AreSleptThroughWhereThreadsHaveNoProcessor) {
  stop_often(4, microseconds(40));
  EXPECT_EQ(stops_.answering_time(), kNotAtAll);
  EXPECT_EQ(stops_.stopped_polling_time(), kNotAtAll);
  EXPECT_EQ(stops_.stopping_time(), kNotAtAll);
}

TEST_F(ShortStopsTest, AreShortNoMoreWhereTheyTookLong) {
  stop_often(3, microseconds(40));
  stop_often(3, std::chrono::milliseconds(5));
  EXPECT_EQ(stops_.stopped_polling_time(), kNotAtAll);
  EXPECT_EQ(stops_.stopping_time(), kNotAtAll);
  EXPECT_GT(stops_.answering_time(), kNotAtAll) << "threads answer soon all the same";
  stop_often(3, microseconds(40));
  EXPECT_GT(stops_.stopped_polling_time(), kNotAtAll);
}

TEST_F(ShortStopsTest, WaitForThreadsThatStopByThemselves) {
  stop_often(3, microseconds(40));
  for (int i = 0; i < 10; ++i) {
    EXPECT_GT(stops_.self_stopping_time(), kNotAtAll);
    stops_.note_self_stopping(true);
  }
}

TEST_F(ShortStopsTest, SeldomWaitForThreadsThatDoNotStopByThemselves) {
  stop_often(3, microseconds(40));
  int waits = 0;
  for (int i = 0; i < 1000; ++i) {
    if (stops_.self_stopping_time() == kNotAtAll) continue;
    ++waits;
    stops_.note_self_stopping(false);
  }
  EXPECT_GE(waits, 1000 / 64);
  EXPECT_LE(waits, 1000 / 64 + 7);
}

TEST_F(ShortStopsTest, DoNotWaitForThreadsWithoutAProcessor) {
  stop_often(4, microseconds(40));
  EXPECT_EQ(stops_.self_stopping_time(), kNotAtAll);
}

}  // namespace
}  // namespace jackdaw::gc
