// The properties that a type states of its objects; words in a row are recorded as a run.
#include "heap/type_descriptor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace jackdaw::heap {
namespace {

using Layout = TypeDescriptor::Layout;

void expect_run(const TypeDescriptor& type, std::uint32_t first, std::uint32_t count) {
  EXPECT_EQ(type.layout(), Layout::words);
  EXPECT_EQ(type.words().first, first);
  EXPECT_EQ(type.words().count, count);
  EXPECT_TRUE(type.holds_references());
}

void expect_offsets(const std::vector<std::uint32_t>& words) {
  const TypeDescriptor type = TypeDescriptor::offsets(800, words);
  EXPECT_EQ(type.layout(), Layout::offsets);
  EXPECT_EQ(std::vector<std::uint32_t>(type.reference_words().begin(), type.reference_words().end()), words);
  EXPECT_TRUE(type.holds_references());
}

TEST(TypeDescriptor, AllWordsAreARunAfterTheHeader) {
  expect_run(TypeDescriptor::all_words(16), 1, 1);
  expect_run(TypeDescriptor::all_words(64), 1, 7);
}

TEST(TypeDescriptor, OffsetsInARowAreARun) {
  expect_run(TypeDescriptor::offsets(64, {1}), 1, 1);
  expect_run(TypeDescriptor::offsets(64, {7}), 7, 1);
  expect_run(TypeDescriptor::offsets(64, {3, 4, 5}), 3, 3);
}

TEST(TypeDescriptor, OtherOffsetsStayAsTheyAre) {
  expect_offsets({1, 3});
  expect_offsets({2, 1});
  expect_offsets({4, 4});
  expect_offsets({1, 2, 3, 99});
}

TEST(TypeDescriptor, WithoutAnyWordThereAreNoReferences) {
  for (const TypeDescriptor& type :
       {TypeDescriptor::none(24), TypeDescriptor::offsets(24, {}), TypeDescriptor::all_words(8)}) {
    EXPECT_EQ(type.layout(), Layout::none);
    EXPECT_FALSE(type.holds_references());
  }
  EXPECT_TRUE(TypeDescriptor::reference_array().holds_references());
}

}  // namespace
}  // namespace jackdaw::heap
