// SharedLines: what each access to a line waits for, by hand.
#include "bench/simulate/shared_lines.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

namespace jackdaw::bench {
namespace {

class SharedLinesTest : public testing::Test {
 protected:
  SharedLinesTest() {
    costs_.line = 100;
    costs_.line_read = 20;
    costs_.line_mark = 40;
    costs_.ahead_read = 10;
    costs_.ahead_mark = 5;
    costs_.remote_line = 300;
  }

  // Workers 0 and 1 are on one node, 2 on another; 70 comes in the second word of a line's bits.
  static constexpr std::array<std::uint32_t, 71> kNodes = {0, 0, 1};
  MachineCosts costs_;
  SharedLines lines_{2, kNodes, costs_};
};

TEST_F(SharedLinesTest, WhatNobodyWroteIsFree) {
  EXPECT_EQ(lines_.read(0, 0, 0), 0);
  EXPECT_EQ(lines_.write(0, 1, 0), 0);
  EXPECT_EQ(lines_.write(0, 1, 0), 0);
  EXPECT_EQ(lines_.read(0, 1, 0), 0);
}

TEST_F(SharedLinesTest, WhatAnotherWroteTravelsOnce) {
  lines_.write(0, 0, 0);
  EXPECT_EQ(lines_.read(1, 0, 0), 100);
  EXPECT_EQ(lines_.read(1, 0, 200), 0);
  EXPECT_EQ(lines_.read(0, 0, 200), 0) << "the writer keeps its copy";
  EXPECT_EQ(lines_.read(70, 0, 300), 100);
}

TEST_F(SharedLinesTest, WritingTakesAllOtherCopiesAway) {
  lines_.write(0, 0, 0);
  lines_.read(70, 0, 0);
  EXPECT_EQ(lines_.write(0, 0, 1000), 100);
  EXPECT_EQ(lines_.write(0, 0, 2000), 0);
  EXPECT_EQ(lines_.read(70, 0, 3000), 100);
}

TEST_F(SharedLinesTest, OtherNodesAreFurther) {
  lines_.write(0, 0, 0);
  EXPECT_EQ(lines_.write(2, 0, 0), 300);
  EXPECT_EQ(lines_.write(1, 0, 1000), 300);
  EXPECT_EQ(lines_.write(0, 0, 2000), 100);
}

TEST_F(SharedLinesTest, WhatOverlapsTakesAPart) {
  double now = 0;
  for (const auto& [fetch, part] : std::vector<std::pair<Fetch, double>>{
           {Fetch::read, 20}, {Fetch::mark, 40}, {Fetch::ahead_read, 10}, {Fetch::ahead_mark, 5}}) {
    lines_.write(0, 0, now += 1000);
    EXPECT_EQ(lines_.write(1, 0, now += 1000, fetch), part);
    EXPECT_EQ(lines_.write(2, 0, now += 1000, fetch), 3 * part);
  }
}

TEST_F(SharedLinesTest, WhatOverlapsWaitsForOthersThatAreLonger) {
  lines_.write(0, 0, 0);
  EXPECT_EQ(lines_.write(1, 0, 1000), 100);
  EXPECT_EQ(lines_.write(0, 0, 1050, Fetch::read), 150) << "50 until it has arrived at the other";
  EXPECT_EQ(lines_.write(1, 0, 1290, Fetch::read), 20);
}

TEST_F(SharedLinesTest, LinesThatTakeNoTimeTakeNoneAheadEither) {
  MachineCosts costs;
  costs.line = costs.ahead_read = 0;
  const std::vector<std::uint32_t> two_nodes{0, 1};
  SharedLines lines(1, two_nodes, costs);
  lines.write(0, 0, 0);
  EXPECT_EQ(lines.write(1, 0, 0, Fetch::ahead_read), 0);
}

TEST_F(SharedLinesTest, OneComesAfterTheOther) {
  lines_.write(0, 0, 0);
  EXPECT_EQ(lines_.write(1, 0, 50), 100);
  EXPECT_EQ(lines_.write(0, 0, 60), 190) << "90 until it has arrived at the other, 100 from there";
  EXPECT_EQ(lines_.write(1, 0, 250), 100);
}

}  // namespace
}  // namespace jackdaw::bench
