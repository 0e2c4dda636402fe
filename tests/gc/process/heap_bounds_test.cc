// HeapBounds: how large a heap may become, for limits and heaps of any size.
#include "gc/process/heap_bounds.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>

namespace jackdaw::gc {
namespace {

using machine::Left;

constexpr std::uint64_t kUnit = std::uint64_t{1} << 20;
constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

HeapBounds bounds_of(std::uint64_t heap_mebibytes, std::uint64_t limit_mebibytes,
                     std::uint64_t left_mebibytes, Left left = Left::at_ease) {
  HeapBounds found(heap_mebibytes * kUnit, left);
  found.add({.limit = limit_mebibytes * kUnit, .left = left_mebibytes * kUnit});
  return found;
}

TEST(HeapBounds, AreWhatIsLeftButForAReserve) {
  struct Case {
    std::uint64_t heap, limit, left;  // in mebibytes, as are the rest
    std::uint64_t most_at_ease, most_at_last;
    bool is_near, is_passed;
  };
  for (const Case& c : std::array{
           Case{0, 256, 256, 240, 248, false, false},    // nobody takes anything
           Case{100, 256, 150, 234, 242, false, false},  // the rest of the program takes 6
           Case{130, 256, 100, 214, 222, true, false},
           Case{200, 256, 16, 200, 208, true, false},
           Case{200, 256, 10, 194, 202, true, true},  // others take of the reserve
           Case{200, 256, 0, 184, 192, true, true},
           Case{300, 256, 200, 240, 248, true, true},  // blocks that were never written to
           Case{10, 16, 0, 9, 9, true, true},
           Case{20, 1 << 20, 1 << 18, (1 << 18) + 20 - 256, (1 << 18) + 20 - 128, false, false},
       }) {
    const HeapBounds at_ease = bounds_of(c.heap, c.limit, c.left);
    EXPECT_EQ(at_ease.limit() / kUnit, c.most_at_ease) << c.heap << ' ' << c.limit << ' ' << c.left;
    EXPECT_EQ(bounds_of(c.heap, c.limit, c.left, Left::at_last).limit() / kUnit, c.most_at_last);
    EXPECT_EQ(at_ease.is_near(), c.is_near) << c.heap << ' ' << c.limit << ' ' << c.left;
    EXPECT_EQ(at_ease.is_passed(), c.is_passed) << c.heap << ' ' << c.limit << ' ' << c.left;
  }
}

TEST(HeapBounds, WithoutALimitThereAreNone) {
  const HeapBounds none(100 * kUnit, Left::at_ease);
  EXPECT_EQ(none.limit(), kUnlimited);
  EXPECT_FALSE(none.is_near());
  EXPECT_FALSE(none.is_passed());
}

TEST(HeapBounds, TheLeastLimitCounts) {
  HeapBounds found = bounds_of(100, 1000, 800);
  found.add({.limit = 512 * kUnit, .left = 100 * kUnit});
  EXPECT_EQ(found.limit(), (200 - 32) * kUnit);
  found.add({.limit = 600 * kUnit, .left = 500 * kUnit});
  EXPECT_EQ(found.limit(), (200 - 32) * kUnit);
  found.add({.limit = kUnlimited, .left = kUnlimited});
  EXPECT_EQ(found.limit(), (200 - 32) * kUnit);
}

TEST(HeapBounds, AreReadAgainBeforeOthersCanHaveTakenMuch) {
  EXPECT_EQ(bounds_of(100, 256, 96).watch(0), 110 * kUnit) << "an eighth of 80 more";
  EXPECT_EQ(bounds_of(100, 256, 96).watch(30 * kUnit), 130 * kUnit) << "what is asked for";
  EXPECT_EQ(bounds_of(100, 256, 20).watch(0), 101 * kUnit) << "so that it gets somewhere";
  EXPECT_EQ(bounds_of(100, 256, 17).watch(0), kUnlimited) << "the limit comes as soon";
  EXPECT_EQ(bounds_of(100, 256, 0).watch(0), kUnlimited) << "the limit is there";
  EXPECT_EQ(bounds_of(100, 256, 96).watch(80 * kUnit), kUnlimited);
}

}  // namespace
}  // namespace jackdaw::gc
