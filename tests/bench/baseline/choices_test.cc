// Lists of baselines: what they stand for, and which are refused.
#include "bench/baseline/choices.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/baseline/openmp_marker.h"
#include "tools/command/input_error.h"

namespace jackdaw::bench {
namespace {

using Kinds = std::vector<BaselineKind>;

TEST(ParseBaselines, KnowsEveryName) {
  for (const auto& [name, kind] : kBaselineKinds) {
    if (name.starts_with("openmp") && !has_openmp()) continue;
    EXPECT_EQ(parse_baselines(name), Kinds{kind}) << name;
  }
}

TEST(ParseBaselines, KeepsTheOrder) {
  EXPECT_EQ(parse_baselines("tbb-tasks,boehm"), (Kinds{BaselineKind::tbb_tasks, BaselineKind::boehm}));
  EXPECT_EQ(parse_baselines("boehm,tbb-tasks"), (Kinds{BaselineKind::boehm, BaselineKind::tbb_tasks}));
}

TEST(ParseBaselines, TakesTbbForBothOfTbbsThatTakeObjects) {
  EXPECT_EQ(parse_baselines("tbb"), (Kinds{BaselineKind::tbb_feeder, BaselineKind::tbb_tasks}));
  EXPECT_EQ(parse_baselines("boehm,tbb"),
            (Kinds{BaselineKind::boehm, BaselineKind::tbb_feeder, BaselineKind::tbb_tasks}));
  EXPECT_EQ(parse_baselines("tbb-packets,tbb"),
            (Kinds{BaselineKind::tbb_packets, BaselineKind::tbb_feeder, BaselineKind::tbb_tasks}));
}

TEST(ParseBaselines, RefusesAllElse) {
  for (const std::string list :
       {"", ",", "none", "boehm,", ",boehm", "boehm,,tbb", "boehm tbb", "BOEHM", "boehm,boehm", "tbb,tbb",
        "tbb,tbb-tasks", "tbb-feeder,boehm,tbb", "tbb-packets,tbb,tbb-packets", "packets"}) {
    EXPECT_THROW(parse_baselines(list), tools::InputError) << list;
  }
}

TEST(ParseBaselines, RefusesOpenMpWhereThereIsNone) {
  if (has_openmp()) GTEST_SKIP() << "this build has OpenMP";
  EXPECT_THROW(parse_baselines("openmp"), tools::InputError);
  EXPECT_THROW(parse_baselines("boehm,openmp-packets"), tools::InputError);
}

}  // namespace
}  // namespace jackdaw::bench
