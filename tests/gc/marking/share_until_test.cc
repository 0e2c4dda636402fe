// share_until: which parts are worked on, whatever the order in which threads come to them.
#include "gc/marking/share_until.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "gc/marking/mark_engine.h"

namespace jackdaw::gc {
namespace {

constexpr std::uint32_t kParts = 8;

// Stands in for a marker: comes to the parts in a given order, on one thread.
struct InOrder {
  std::vector<std::uint32_t> order;

  template <typename Part>
  void share_with_all(Part part, std::uint32_t) const {
    for (const std::uint32_t number : order) part(number);
  }
};

const InOrder kForward{{0, 1, 2, 3, 4, 5, 6, 7}};

// Returns the parts that are worked on until there are `enough`, and sets `done`.
std::vector<std::uint32_t> worked_on(const InOrder& marker, std::size_t enough, std::uint32_t& done) {
  std::vector<std::uint32_t> worked;
  done = share_until(
      marker, kParts, [&] { return worked.size() >= enough; },
      [&](std::uint32_t part) { worked.push_back(part); });
  return worked;
}

TEST(ShareUntil, WorksOnAllPartsWhenThereIsNeverEnough) {
  std::uint32_t done = 0;
  EXPECT_EQ(worked_on(kForward, kParts + 1, done), kForward.order);
  EXPECT_EQ(done, kParts);
}

TEST(ShareUntil, EndsAtThePartThatIsNotBegun) {
  std::uint32_t done = 0;
  EXPECT_EQ(worked_on(kForward, 3, done), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(done, 3U);
}

TEST(ShareUntil, WorksOnTheFirstPartInAnyCase) {
  std::uint32_t done = 0;
  EXPECT_EQ(worked_on(kForward, 0, done), std::vector<std::uint32_t>{0});
  EXPECT_EQ(done, 1U);
}

TEST(ShareUntil, BeginsNoPartBehindOneThatWasNotBegun) {
  std::uint32_t done = 0;
  EXPECT_EQ(worked_on({{4, 0, 2, 1, 3, 5, 6, 7}}, 2, done), (std::vector<std::uint32_t>{4, 0}));
  EXPECT_EQ(done, 1U) << "though a later part is done, too";
}

TEST(ShareUntil, WorksOnNothingWithoutParts) {
  const auto fail = [](std::uint32_t) { FAIL(); };
  EXPECT_EQ(share_until(
                InOrder{}, 0, [] { return false; }, fail),
            0U);
}

TEST(ShareUntil, ThreadsTogetherLeaveNoGap) {
  MarkingOptions options;
  options.engine.threads = 4;
  const std::unique_ptr<MarkEngine> engine = make_mark_engine(options);
  for (std::uint32_t enough = 0; enough < 64; ++enough) {
    std::atomic<std::uint32_t> begun{0};
    std::vector<std::atomic<std::uint32_t>> times(64);
    const auto work = [&](std::uint32_t part) {
      ++begun;
      ++times[part];
    };
    const auto parts = static_cast<std::uint32_t>(times.size());
    const std::uint32_t done = share_until(
        engine->marker(), parts, [&] { return begun >= enough; }, work);
    ASSERT_TRUE(done >= 1 && done <= parts);
    EXPECT_TRUE(
        std::all_of(times.begin(), times.begin() + done, [](const auto& count) { return count == 1; }));
    EXPECT_TRUE(std::all_of(times.begin() + done, times.end(), [](const auto& count) { return count <= 1; }));
  }
}

}  // namespace
}  // namespace jackdaw::gc
