// CollectionCost: which pauses raise the level, and how far.
#include "gc/process/collection_cost.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace jackdaw::gc {
namespace {

using std::chrono::microseconds;

TEST(CollectionCost, RisesStepByStepWhileFrequentCollectionsTakeMuchTime) {
  CollectionCost cost;
  EXPECT_EQ(cost.level(), 0U);
  for (std::uint32_t level = 1; level <= CollectionCost::kMost; ++level) {
    cost.note(microseconds(120), microseconds(37));
    EXPECT_EQ(cost.level(), level);
  }
  cost.note(microseconds(120), microseconds(37));
  EXPECT_EQ(cost.level(), CollectionCost::kMost);
}

TEST(CollectionCost, FallsStepByStepWhenTheyTakeLittle) {
  CollectionCost cost;
  cost.note(microseconds(120), microseconds(37));
  cost.note(microseconds(120), microseconds(37));
  cost.note(microseconds(555), microseconds(37));
  EXPECT_EQ(cost.level(), 1U) << "just a sixteenth";
  cost.note(microseconds(554), microseconds(37));
  EXPECT_EQ(cost.level(), 2U);
  for (int i = 0; i < 3; ++i) cost.note(microseconds(800), microseconds(37));
  EXPECT_EQ(cost.level(), 0U);
}

// A heap whose marking takes long grows by what lives in it.
TEST(CollectionCost, StaysWhereCollectionsAreRareHoweverLongTheyTake) {
  CollectionCost cost;
  cost.note(microseconds(1000), microseconds(900));
  EXPECT_EQ(cost.level(), 0U);
  cost.note(microseconds(999), microseconds(900));
  EXPECT_EQ(cost.level(), 1U);
}

}  // namespace
}  // namespace jackdaw::gc
