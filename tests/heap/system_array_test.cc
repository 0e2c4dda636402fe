// SystemArray: zeroed elements, or none when there is no memory.
#include "heap/system_array.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace jackdaw::heap {
namespace {

TEST(SystemArray, IsZeroed) {
  const SystemArray<std::uint64_t> array(100'000);
  ASSERT_EQ(array.size(), 100'000U);
  for (std::size_t i = 0; i < array.size(); ++i) ASSERT_EQ(array[i], 0U);
}

TEST(SystemArray, IsEmptyWhenThereIsNoMemory) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  for (const std::size_t length : {kMost, kMost / 8, kMost / 8 + 1, kMost / 16}) {
    const SystemArray<std::uint64_t> array(length);
    EXPECT_TRUE(array.empty()) << length;
    EXPECT_EQ(array.size(), 0U) << length;
  }
  EXPECT_TRUE(SystemArray<std::uint64_t>(0).empty());
}

TEST(SystemArray, HandsItsElementsOn) {
  SystemArray<std::uint64_t> first(10);
  first[3] = 7;
  SystemArray<std::uint64_t> second = std::move(first);
  EXPECT_EQ(second[3], 7U);
  SystemArray<std::uint64_t> third(20);
  third = std::move(second);
  ASSERT_EQ(third.size(), 10U);
  EXPECT_EQ(third[3], 7U);
}

}  // namespace
}  // namespace jackdaw::heap
