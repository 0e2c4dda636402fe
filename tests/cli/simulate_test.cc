// `jackdaw simulate`: what it prints, the file that it writes, and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/process.h"

namespace jackdaw::cli {
namespace {

using nlohmann::json;

TEST(Simulate, PredictsEveryCombination) {
  const TemporaryFolder folder;
  const std::string file = folder.file("simulation.json");
  const Outcome outcome =
      run_jackdaw({"simulate", "tree:12", "--workers", "4,1,32", "--queue", "bwos-lifo,chase-lev", "--victim",
                   "numa,random", "--nodes", "2", "--repeat", "1", "--remote-line", "321", "--json", file});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const json result = json::parse(read_file(file));
  EXPECT_EQ(result["tasks"], 8191);
  EXPECT_EQ(result["references"], 8190);
  EXPECT_EQ(result["span_tasks"], 13);
  EXPECT_EQ(result["costs"]["remote-line"], 321);
  EXPECT_EQ(result["costs"]["queues"].size(), 2U);
  for (const char* const cost :
       {"line-read", "ahead-mark", "reference", "beside", "beside_far", "locked_mark", "sample"})
    EXPECT_TRUE(result["costs"].contains(cost)) << cost;
  ASSERT_EQ(result["series"].size(), 4U);
  for (const json& series : result["series"]) {
    const json& predictions = series["predictions"];
    ASSERT_EQ(predictions.size(), 3U);
    EXPECT_EQ(predictions[0]["workers"], 1);
    EXPECT_EQ(predictions[0]["speed_up"], 1);
    EXPECT_EQ(predictions[2]["workers"], 32);
    for (const json& prediction : predictions) EXPECT_EQ(prediction["tasks"], 8191);
    EXPECT_NE(outcome.out.find(series["victim"].get<std::string>()), std::string::npos);
  }
  EXPECT_FALSE(result.contains("validation"));
}

TEST(Simulate, ValidatesWithRealThreads) {
  const TemporaryFolder folder;
  const std::string file = folder.file("simulation.json");
  const Outcome outcome = run_jackdaw({"simulate", "hprof:" + java_heap_dump(), "--workers", "1",
                                       "--validate", "--repeat", "2", "--json", file});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const json result = json::parse(read_file(file));
  ASSERT_GE(result["validation"].size(), 1U);
  for (const json& validation : result["validation"]) {
    EXPECT_EQ(validation["wall_ms"].size(), 2U);
    const double measured = validation["measured_ms"];
    const double predicted = validation["predicted_ms"];
    EXPECT_DOUBLE_EQ(validation["error_percent"].get<double>(), 100 * (predicted - measured) / measured);
  }
  EXPECT_NE(outcome.out.find("beside real runs"), std::string::npos) << outcome.out;
}

TEST(Simulate, RefusesWhatItCannotDo) {
  const std::vector<std::vector<std::string>> wrong = {{"--workers", "0"},
                                                       {"--workers", "1025"},
                                                       {"--workers", "2,2"},
                                                       {"--workers", "x"},
                                                       {"--queue", "sequential-lifo"},
                                                       {"--queue", "abp,abp"},
                                                       {"--victim", "nobody"},
                                                       {"--nodes", "0"},
                                                       {"--steal-batch", "0"},
                                                       {"--repeat", "0"},
                                                       {"--remote-line", "-1"},
                                                       {"--no-such-option", ""},
                                                       {"--json", "/no/such/folder/file"}};
  for (const std::vector<std::string>& arguments : wrong) {
    const Outcome outcome = run_jackdaw({"simulate", "tree:3", arguments[0], arguments[1]});
    EXPECT_EQ(outcome.status, 2) << arguments[0] << ' ' << arguments[1];
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  for (const std::string graph : {"bush:3", "tree:x", "/no/such"}) {
    const Outcome outcome = run_jackdaw({"simulate", graph.starts_with("/") ? "hprof:" + graph : graph});
    EXPECT_EQ(outcome.status, 2) << graph;
    EXPECT_NE(outcome.err.find(graph), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace jackdaw::cli
