// PageVector: a vector's contents through growth, removal and refused memory.
#include "base/page_vector.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/address_space_limit.h"

namespace jackdaw::base {
namespace {

TEST(PageVector, KeepsItsElementsAsItGrows) {
  PageVector<std::uint64_t> list;
  EXPECT_TRUE(list.span().empty());
  for (std::uint64_t i = 0; i < 100'000; ++i) ASSERT_TRUE(list.append(i));
  ASSERT_EQ(list.size(), 100'000U);
  for (std::uint64_t i = 0; i < 100'000; ++i) ASSERT_EQ(list[i], i);
  list.clear();
  EXPECT_EQ(list.size(), 0U);
  ASSERT_TRUE(list.append(5));
  EXPECT_EQ(list.span().front(), 5U);
}

TEST(PageVector, AppendsManyAtOnce) {
  PageVector<std::uint64_t> list;
  ASSERT_TRUE(list.append_all({}));
  EXPECT_TRUE(list.empty());
  ASSERT_TRUE(list.append(0));
  std::vector<std::uint64_t> more(5000);
  std::iota(more.begin(), more.end(), 1);
  ASSERT_TRUE(list.append_all(more));
  ASSERT_EQ(list.size(), 5001U);
  for (std::uint64_t i = 0; i <= 5000; ++i) ASSERT_EQ(list[i], i);
}

TEST(PageVector, RemovesAndChangesElementsInOrder) {
  PageVector<std::uint64_t> list;
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_TRUE(list.append(i));
  list.remove_if([](std::uint64_t& element) {
    const bool is_even = element % 2 == 0;
    ++element;
    return is_even;
  });
  ASSERT_EQ(list.size(), 500U);
  for (std::uint64_t i = 0; i < 500; ++i) ASSERT_EQ(list[i], 2 * i + 2);
}

TEST(PageVector, KeepsWhatWasReserved) {
  PageVector<std::uint64_t> list;
  EXPECT_TRUE(list.empty());
  ASSERT_TRUE(list.append(1));
  list.reserve_or_throw(10'000);
  const std::uint64_t* const first = list.data();
  while (list.size() < 10'000) list.append_reserved(list.size() + 1);
  EXPECT_EQ(list.data(), first) << "it grew";
  std::uint64_t sum = 0;
  for (const std::uint64_t element : list) sum += element;
  EXPECT_EQ(sum, 10'000U * 10'001U / 2);
}

TEST(PageVector, SaysWhenThereIsNoMemory) {
  PageVector<std::uint64_t> list;
  std::uint64_t appended = 0;
  {
    const AddressSpaceLimit limit(std::size_t{1} << 20);
    while (list.append(appended)) ++appended;
  }
  ASSERT_EQ(list.size(), appended);
  EXPECT_LT(appended * sizeof(std::uint64_t), std::size_t{1} << 20);
  EXPECT_GT(appended, 1000U);
  ASSERT_TRUE(list.append(appended));
  for (std::uint64_t i = 0; i <= appended; ++i) ASSERT_EQ(list[i], i);
}

}  // namespace
}  // namespace jackdaw::base
