// The numbering of identifiers.
#include "tools/graph/identifier_index.h"

#include <gtest/gtest.h>

namespace jackdaw::tools {
namespace {

TEST(IdentifierIndex, NumbersInOrderOfAppearance) {
  IdentifierIndex index;
  EXPECT_EQ(index.insert(70).number, 0U);
  EXPECT_EQ(index.insert(5).number, 1U);
  const IdentifierIndex::Insertion again = index.insert(70);
  EXPECT_EQ(again.number, 0U);
  EXPECT_FALSE(again.is_new);
  EXPECT_EQ(index.size(), 2U);
  EXPECT_EQ(index.identifier(1), 5U);
}

TEST(IdentifierIndex, FindsNothingThatIsNotThere) {
  IdentifierIndex index;
  EXPECT_EQ(index.number_of(0), IdentifierIndex::kAbsent);
  index.insert(1);
  EXPECT_EQ(index.number_of(0), IdentifierIndex::kAbsent);
}

TEST(IdentifierIndex, KeepsEverythingWhileItGrows) {
  constexpr std::uint32_t kCount = 100'000;
  IdentifierIndex index;
  for (std::uint32_t i = 0; i < kCount; ++i) ASSERT_TRUE(index.insert(std::uint64_t{i} << 32).is_new);
  for (std::uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(index.number_of(std::uint64_t{i} << 32), i);
  EXPECT_EQ(index.number_of(1), IdentifierIndex::kAbsent);
}

}  // namespace
}  // namespace jackdaw::tools
