// Suggestions for mistyped words.
#include "tools/command/nearest_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace jackdaw::tools {
namespace {

TEST(NearestName, IsTheOneWithTheFewestChanges) {
  const std::vector<std::string> names = {"--threads", "--repeat", "--json", "--seed"};
  EXPECT_EQ(nearest_name("--thread", names), "--threads");
  EXPECT_EQ(nearest_name("--treads", names), "--threads");
  EXPECT_EQ(nearest_name("--jsno", names), "--json");
  EXPECT_EQ(nearest_name("--rep", names), "--repeat") << "it begins so";
  EXPECT_EQ(nearest_name("--seed", names), "--seed");
}

TEST(NearestName, IsNoneWhereAllAreFar) {
  EXPECT_EQ(nearest_name("--verbose", {"--threads", "--json"}), "");
  EXPECT_EQ(nearest_name("", {"--threads"}), "");
  EXPECT_EQ(nearest_name("x", {}), "");
}

}  // namespace
}  // namespace jackdaw::tools
