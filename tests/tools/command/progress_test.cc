// When the progress line shows, and that it goes away.
#include "tools/command/progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>

namespace jackdaw::tools {
namespace {

std::chrono::steady_clock::time_point test_time;

/// A pipe in place of a terminal, and a clock that the test moves.
class ProgressTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(pipe2(ends_.data(), O_NONBLOCK), 0);
    test_time = {};
  }
  void TearDown() override {
    close(ends_[0]);
    close(ends_[1]);
  }

  [[nodiscard]] ProgressOutput output(bool interactive) const {
    return {.descriptor = ends_[1], .interactive = interactive, .now = [] { return test_time; }, .since = {}};
  }
  /// The text that has been written since the last call.
  [[nodiscard]] std::string written() const {
    std::array<char, 1000> buffer{};
    const ssize_t count = read(ends_[0], buffer.data(), buffer.size());
    return count > 0 ? std::string(buffer.data(), static_cast<std::size_t>(count)) : "";
  }
  static void pass(int milliseconds) { test_time += std::chrono::milliseconds(milliseconds); }
  /// Calls update() often enough for one look at the clock.
  static void update(Progress& progress, std::uint64_t done) {
    for (int i = 0; i < Progress::kCallsPerLook; ++i) progress.update(done, 100);
  }

  std::array<int, 2> ends_{};
};

TEST_F(ProgressTest, ShortWorkShowsNothing) {
  {
    Progress progress("working", output(true));
    pass(2000);
    update(progress, 50);
  }
  EXPECT_EQ(written(), "");
}

TEST_F(ProgressTest, LongWorkShowsALineAndErasesIt) {
  {
    Progress progress("working", output(true));
    pass(2001);
    update(progress, 42);
    EXPECT_EQ(written(), "\r\033[Kworking: 42 %");
  }
  EXPECT_EQ(written(), "\r\033[K");
}

TEST_F(ProgressTest, LongStepsAreShownAtOnce) {
  Progress progress("working", output(true));
  pass(2001);
  progress.step(3, 100);
  EXPECT_EQ(written(), "\r\033[Kworking: 3 %");
  progress.step(4, 100);
  EXPECT_EQ(written(), "");
  pass(101);
  progress.step(5, 100);
  EXPECT_EQ(written(), "\r\033[Kworking: 5 %");
}

TEST_F(ProgressTest, LaterWorkIsShownAsItBegins) {
  pass(2001);
  Progress progress("working", output(true));
  EXPECT_EQ(written(), "\r\033[Kworking ...");
}

TEST_F(ProgressTest, RedrawsTenTimesASecondAtMost) {
  Progress progress("working", output(true));
  pass(2001);
  update(progress, 1);
  EXPECT_NE(written(), "");
  pass(50);
  update(progress, 2);
  EXPECT_EQ(written(), "");
  pass(51);
  update(progress, 3);
  EXPECT_EQ(written(), "\r\033[Kworking: 3 %");
}

TEST_F(ProgressTest, NothingIsWrittenWhereNobodyLooks) {
  {
    Progress progress("working", output(false));
    pass(10'000);
    update(progress, 42);
    progress.draw(1, 2);
  }
  EXPECT_EQ(written(), "");
}

TEST_F(ProgressTest, UnknownTotalHasNoPercentage) {
  Progress progress("working", output(true));
  progress.draw(5, 0);
  EXPECT_EQ(written(), "\r\033[Kworking ...");
}

}  // namespace
}  // namespace jackdaw::tools
