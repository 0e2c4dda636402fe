// `jackdaw mark --interface c`: heaps that were allocated through the C interface.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/process.h"

namespace jackdaw::cli {
namespace {

class MarkThroughC : public testing::Test {
 protected:
  // Runs `mark` with --interface c and --json added, expects success and gives the result.
  nlohmann::json mark(std::vector<std::string> arguments) {
    const std::string path = folder_.file("result.json");
    const std::string words = testing::PrintToString(arguments);
    arguments.insert(arguments.begin(), "mark");
    arguments.insert(arguments.end(), {"--interface", "c", "--json", path});
    outcome_ = run_jackdaw(arguments);
    EXPECT_EQ(outcome_.status, 0) << words << outcome_.err;
    EXPECT_EQ(outcome_.err, "") << words;
    return outcome_.status == 0 ? nlohmann::json::parse(read_file(path)) : nlohmann::json();
  }

  TemporaryFolder folder_;
  Outcome outcome_;
};

double median_ms(const nlohmann::json& runs) {
  std::vector<double> times;
  for (const auto& run : runs) times.push_back(run["collect_ms"].get<double>());
  std::sort(times.begin(), times.end());
  const std::size_t middle = times.size() / 2;
  return times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
}

TEST_F(MarkThroughC, WritesEveryKeyTheRightNumberOfTimes) {
  for (const std::size_t repeat : {std::size_t{1}, std::size_t{4}}) {
    const auto result = mark({"random:5000,1", "--threads", "2", "--repeat", std::to_string(repeat)});
    EXPECT_EQ(result["graph"], "random:5000,1");
    EXPECT_EQ(result["interface"], "c");
    EXPECT_EQ(result["our_objects"], "conservative");
    EXPECT_EQ(result["all_interior_pointers"], true);
    EXPECT_EQ(result["displacements"], 0);
    EXPECT_EQ(result["objects"], 5000);
    EXPECT_GT(result["reachable"], 1);
    EXPECT_LT(result["reachable"], 5000);
    EXPECT_EQ(result["threads"], 2);
    EXPECT_GE(result["heap_bytes"], 5000 * 48);
    ASSERT_EQ(result["runs"].size(), repeat);
    for (const auto& run : result["runs"]) {
      EXPECT_GT(run["collect_ms"].get<double>(), 0);
      EXPECT_NEAR(run["ns_per_object"].get<double>() * result["reachable"].get<double>(),
                  run["collect_ms"].get<double>() * 1e6, 1);
    }
    EXPECT_DOUBLE_EQ(result["median"]["collect_ms"].get<double>(), median_ms(result["runs"]));
    for (const std::string key : {"verified", "unreachable_kept", "baseline", "baselines"})
      EXPECT_FALSE(result.contains(key)) << key;
  }
}

TEST_F(MarkThroughC, BesideBoehmReportsItsTimesAndTheRatio) {
  const auto result = mark({"tree:12", "--threads", "1", "--repeat", "3", "--baseline", "boehm", "--verify"});
  EXPECT_EQ(result["verified"], true);
  EXPECT_EQ(result["unreachable_kept"], 0);
  ASSERT_EQ(result["baselines"].size(), 1U);
  const auto& boehm = result["baselines"][0];
  EXPECT_EQ(boehm["name"], "boehm");
  EXPECT_EQ(boehm["threads"], 1);
  EXPECT_EQ(boehm["wall_ms"].size(), 3U);
  EXPECT_DOUBLE_EQ(boehm["ratio"].get<double>(),
                   result["median"]["collect_ms"].get<double>() / boehm["median_ms"].get<double>());
  EXPECT_EQ(result["ratio_to_baseline"], boehm["ratio"]);
  for (const std::string words :
       {"tree:12: 8191 objects, 8191 reachable, verified, 0 unreachable ones kept",
        "1 mark thread, C interface: our objects conservative, every address in an object keeps it",
        "whole collections, our objects conservative"})
    EXPECT_NE(outcome_.out.find(words), std::string::npos) << outcome_.out;
}

TEST_F(MarkThroughC, BesideThePlainLoopReportsItsTimesAndTheRatio) {
  const auto result = mark({"tree:12", "--threads", "1", "--repeat", "3", "--limit"});
  const auto& loop = result["plain_loop"];
  EXPECT_EQ(loop["objects_marked"], 8191);
  EXPECT_EQ(loop["wall_ms"].size(), 3U);
  EXPECT_GT(loop["median_ms"].get<double>(), 0);
  EXPECT_DOUBLE_EQ(result["ratio_to_plain_loop"].get<double>(),
                   result["median"]["collect_ms"].get<double>() / loop["median_ms"].get<double>());
  EXPECT_NE(outcome_.out.find("ratio to a plain loop of one thread"), std::string::npos) << outcome_.out;
  EXPECT_FALSE(mark({"tree:5"}).contains("plain_loop"));
}

TEST_F(MarkThroughC, TypedResultsSayThatTheyAreTyped) {
  const std::string path = folder_.file("typed.json");
  const Outcome outcome = run_jackdaw({"mark", "tree:5", "--baseline", "boehm", "--json", path});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("; our objects typed\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("whole collections, our objects typed"), std::string::npos) << outcome.out;
  const auto result = nlohmann::json::parse(read_file(path));
  EXPECT_EQ(result["interface"], "typed");
  EXPECT_EQ(result["our_objects"], "typed");
}

TEST_F(MarkThroughC, DisplacementsAreUsedAndRight) {
  for (const int displacements : {0, 1, 3, 7}) {
    const auto result = mark({"shuffled:5000,4", "--displacements", std::to_string(displacements), "--verify",
                              "--threads", "2", "--baseline", "boehm"});
    EXPECT_EQ(result["verified"], true);
    EXPECT_EQ(result["unreachable_kept"], 0);
    EXPECT_EQ(result["all_interior_pointers"], false);
    EXPECT_EQ(result["displacements"], displacements);
  }
  EXPECT_NE(outcome_.out.find("all interior pointers off, 7 displacements registered"), std::string::npos)
      << outcome_.out;
}

TEST_F(MarkThroughC, ObjectsAreAsLargeAsTheirReferencesWithoutAHeader) {
  const auto heap_bytes = [&](const std::string& object_bytes) {
    return mark({"tree:17", "--object-bytes", object_bytes, "--displacements", "0", "--repeat", "1"})
        .value("heap_bytes", std::uint64_t{0});
  };
  constexpr std::uint64_t kObjects = 262'143;
  EXPECT_GE(heap_bytes("16"), 16 * kObjects);
  EXPECT_GE(heap_bytes("320"), 320 * kObjects);
  EXPECT_LT(heap_bytes("16"), 24 * kObjects + (std::uint64_t{32} << 20));
}

class MarkGraphThroughC : public MarkThroughC, public testing::WithParamInterface<std::string> {};

TEST_P(MarkGraphThroughC, IsVerifiedWithBothCollectors) {
  for (const std::string threads : {"1", "3"}) {
    const auto result = mark({GetParam(), "--verify", "--repeat", "2", "--threads", threads, "--baseline",
                              "boehm", "--seed", "3"});
    EXPECT_EQ(result["verified"], true);
    EXPECT_EQ(std::to_string(result["threads"].get<int>()), threads);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, MarkGraphThroughC,
                         testing::Values("tree:12", "list:5000", "array:5000", "strings:3000", "numbers:2000",
                                         "random:5000,3", "rmat:10,16", "comb:70,70", "layers:20,9",
                                         "hprof:" + java_heap_dump()),
                         [](const testing::TestParamInfo<std::string>& info) {
                           return info.param.substr(0, info.param.find(':'));
                         });

}  // namespace
}  // namespace jackdaw::cli
