// Slices: the parts of an array cover it exactly once, whichever worker takes which part.
#include "mark/slices.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace jackdaw::mark {
namespace {

// The slices that come out when every task is split as the mark loop splits it.
std::vector<Slices::Range> all_slices(std::uint64_t elements) {
  const Slices slices(elements);
  std::vector<Slices::Range> ranges;
  std::vector<std::uint32_t> tasks{Slices::kWhole};
  while (!tasks.empty()) {
    std::uint32_t node = tasks.back();
    tasks.pop_back();
    while (!slices.is_slice(node)) {
      const Slices::Range rest = slices.range_of(Slices::waiting_half(node));
      if (rest.begin < rest.end) tasks.push_back(Slices::waiting_half(node));
      node = Slices::kept_half(node);
    }
    EXPECT_LT(node, Slices::kNodeLimit);
    ranges.push_back(slices.range_of(node));
  }
  return ranges;
}

class SlicesOfLength : public testing::TestWithParam<std::uint64_t> {};

TEST_P(SlicesOfLength, CoverTheArrayOnceInOrder) {
  const std::uint64_t elements = GetParam();
  std::uint64_t next = 0;
  for (const Slices::Range& range : all_slices(elements)) {
    ASSERT_EQ(range.begin, next);
    ASSERT_LE(range.begin, range.end);
    next = range.end;
  }
  EXPECT_EQ(next, elements);
}

TEST_P(SlicesOfLength, AreOfBoundedSize) {
  const std::uint64_t elements = GetParam();
  const std::uint64_t longest = std::max(Slices::kSliceElements, elements / Slices::kMaximumSlices + 1);
  for (const Slices::Range& range : all_slices(elements)) ASSERT_LE(range.end - range.begin, longest);
}

constexpr std::uint64_t kSlice = Slices::kSliceElements;

INSTANTIATE_TEST_SUITE_P(Lengths, SlicesOfLength,
                         testing::Values(0, 1, 2, kSlice - 1, kSlice, kSlice + 1, 2 * kSlice - 1, 2 * kSlice,
                                         2 * kSlice + 1, 3 * kSlice, 5 * kSlice + 7, 1000 * kSlice + 1,
                                         Slices::kMaximumSlices* kSlice, Slices::kMaximumSlices* kSlice + 1,
                                         std::uint64_t{1} << 40));

TEST(Slices, CutsOnlyWhatIsLongerThanASlice) {
  EXPECT_FALSE(Slices::is_cut(0));
  EXPECT_FALSE(Slices::is_cut(kSlice));
  EXPECT_TRUE(Slices::is_cut(kSlice + 1));
}

}  // namespace
}  // namespace jackdaw::mark
