// SharedLines: what each access to a line waits for, by hand.
#include "bench/simulate/shared_lines.h"

#include <gtest/gtest.h>

#include <array>

namespace jackdaw::bench {
namespace {

class SharedLinesTest : public testing::Test {
 protected:
  SharedLinesTest() {
    costs_.line = 100;
    costs_.line_ahead = 10;
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

TEST_F(SharedLinesTest, WhatWasAskedForAheadTakesAPart) {
  lines_.write(0, 0, 0);
  EXPECT_EQ(lines_.write(1, 0, 0, Fetch::ahead), 10);
  EXPECT_EQ(lines_.write(2, 0, 0, Fetch::ahead), 30);
}

TEST_F(SharedLinesTest, LinesThatTakeNoTimeTakeNoneAheadEither) {
  MachineCosts costs;
  costs.line = costs.line_ahead = 0;
  const std::vector<std::uint32_t> two_nodes{0, 1};
  SharedLines lines(1, two_nodes, costs);
  lines.write(0, 0, 0);
  EXPECT_EQ(lines.write(1, 0, 0, Fetch::ahead), 0);
}

TEST_F(SharedLinesTest, OneComesAfterTheOther) {
  lines_.write(0, 0, 0);
  EXPECT_EQ(lines_.write(1, 0, 50), 100);
  EXPECT_EQ(lines_.write(0, 0, 60), 190) << "90 until it has arrived at the other, 100 from there";
  EXPECT_EQ(lines_.write(1, 0, 250), 100);
}

}  // namespace
}  // namespace jackdaw::bench
