// PageArray: zeroed elements, or none when there is no memory.
#include "base/page_array.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

namespace jackdaw::base {
namespace {

TEST(PageArray, IsZeroed) {
  const PageArray<std::uint64_t> array(100'000);
  ASSERT_EQ(array.size(), 100'000U);
  for (std::size_t i = 0; i < array.size(); ++i) ASSERT_EQ(array[i], 0U);
}

TEST(PageArray, IsEmptyWhenThereIsNoMemory) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  for (const std::size_t length : {kMost, kMost / 8, kMost / 8 + 1, kMost / 16}) {
    const PageArray<std::uint64_t> array(length);
    EXPECT_TRUE(array.empty()) << length;
    EXPECT_EQ(array.size(), 0U) << length;
  }
  EXPECT_TRUE(PageArray<std::uint64_t>(0).empty());
}

TEST(PageArray, ThrowsWhereItIsAskedTo) {
  constexpr std::size_t kTooMany = std::numeric_limits<std::size_t>::max() / 16;
  EXPECT_TRUE(PageArray<std::uint64_t>::reserve(kTooMany).empty());
  EXPECT_THROW(PageArray<std::uint64_t>::allocate_or_throw(kTooMany), std::bad_alloc);
  EXPECT_THROW(PageArray<std::uint64_t>::reserve_or_throw(kTooMany), std::bad_alloc);
  const PageArray<std::uint64_t> reserved = PageArray<std::uint64_t>::reserve_or_throw(10);
  ASSERT_EQ(reserved.size(), 10U);
  for (const std::uint64_t element : reserved.span()) EXPECT_EQ(element, 0U);
}

TEST(PageArray, HandsItsElementsOn) {
  PageArray<std::uint64_t> first(10);
  first[3] = 7;
  PageArray<std::uint64_t> second = std::move(first);
  EXPECT_EQ(second[3], 7U);
  PageArray<std::uint64_t> third(20);
  third = std::move(second);
  ASSERT_EQ(third.size(), 10U);
  EXPECT_EQ(third[3], 7U);
}

}  // namespace
}  // namespace jackdaw::base
