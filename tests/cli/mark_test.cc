// `jackdaw mark`: what it prints, the JSON that it writes, and that the marks are right.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "mark/slices.h"
#include "tests/cli/process.h"

namespace jackdaw::cli {
namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;

const std::vector<std::string>& figure_keys() {
  static const std::vector<std::string> keys = {"wall_ms",    "collect_ms",    "objects_marked",
                                                "references", "ns_per_object", "steal_percent"};
  return keys;
}
const std::vector<std::string>& worker_keys() {
  static const std::vector<std::string> keys = {"tasks_executed",
                                                "objects_marked",
                                                "references_visited",
                                                "pushes",
                                                "direct",
                                                "pops",
                                                "steal_attempts",
                                                "steals",
                                                "steals_local",
                                                "steals_remote",
                                                "tasks_stolen",
                                                "empty",
                                                "contended",
                                                "longest_contended_streak",
                                                "victims_refused",
                                                "overflow_pushes",
                                                "overflow_peak",
                                                "visits_remote",
                                                "grants",
                                                "takeovers",
                                                "idle_time_ms"};
  return keys;
}

void expect_numbers(const json& object, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    ASSERT_TRUE(object.contains(key)) << key;
    EXPECT_TRUE(object[key].is_number()) << key;
    EXPECT_GE(object[key].get<double>(), 0) << key;
  }
}

std::uint64_t sum_over_workers(const json& run, const std::string& key) {
  std::uint64_t sum = 0;
  for (const json& worker : run["workers"]) sum += worker[key].get<std::uint64_t>();
  return sum;
}

double median_of_runs(const json& result, const std::string& key) {
  std::vector<double> values;
  for (const json& run : result["runs"]) values.push_back(run[key].get<double>());
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// Whatever was measured, a result has these keys and its figures agree with one another.
void expect_mark_result(const json& result, std::size_t runs) {
  EXPECT_TRUE(result["graph"].is_string());
  EXPECT_TRUE(result["queue"].is_string());
  EXPECT_TRUE(result["victim"].is_string());
  expect_numbers(result, {"objects", "threads", "heap_bytes", "marking_memory_bytes"});
  ASSERT_EQ(result["runs"].size(), runs);
  expect_numbers(result["median"], figure_keys());
  EXPECT_FALSE(result["median"].contains("workers"));
  for (const std::string& key : figure_keys()) {
    EXPECT_DOUBLE_EQ(result["median"][key].get<double>(), median_of_runs(result, key)) << key;
  }
  for (const json& run : result["runs"]) {
    expect_numbers(run, figure_keys());
    EXPECT_GE(run["collect_ms"].get<double>(), run["wall_ms"].get<double>());
    EXPECT_LE(run["steal_percent"].get<double>(), 100);
    EXPECT_NEAR(run["ns_per_object"].get<double>() * run["objects_marked"].get<double>(),
                run["wall_ms"].get<double>() * 1e6, 1);
    ASSERT_EQ(run["workers"].size(), result["threads"].get<std::size_t>());
    for (const json& worker : run["workers"]) {
      expect_numbers(worker, worker_keys());
      const auto by_victim = worker["steals_by_victim"].get<std::vector<std::uint64_t>>();
      ASSERT_EQ(by_victim.size(), run["workers"].size());
      EXPECT_EQ(by_victim[static_cast<std::size_t>(&worker - &run["workers"][0])], 0U) << "from itself";
      EXPECT_EQ(std::accumulate(by_victim.begin(), by_victim.end(), std::uint64_t{0}),
                worker["steals"].get<std::uint64_t>());
      EXPECT_EQ(worker["steal_attempts"].get<std::uint64_t>(), worker["steals"].get<std::uint64_t>() +
                                                                   worker["empty"].get<std::uint64_t>() +
                                                                   worker["contended"].get<std::uint64_t>());
    }
    EXPECT_EQ(sum_over_workers(run, "objects_marked"), run["objects_marked"].get<std::uint64_t>());
    EXPECT_EQ(sum_over_workers(run, "references_visited"), run["references"].get<std::uint64_t>());
    EXPECT_EQ(sum_over_workers(run, "steals_local") + sum_over_workers(run, "steals_remote"),
              sum_over_workers(run, "steals"));
    EXPECT_EQ(sum_over_workers(run, "pushes") + sum_over_workers(run, "direct"),
              sum_over_workers(run, "tasks_executed") + sum_over_workers(run, "tasks_stolen"));
    EXPECT_EQ(sum_over_workers(run, "pops") + sum_over_workers(run, "direct"),
              sum_over_workers(run, "tasks_executed"));
  }
}

class Mark : public testing::Test {
 protected:
  // Runs `mark` with --json added, expects success and gives the result.
  json mark(Arguments arguments) {
    const std::string path = folder_.file("result.json");
    const std::string words = testing::PrintToString(arguments);
    arguments.insert(arguments.begin(), "mark");
    arguments.insert(arguments.end(), {"--json", path});
    outcome_ = run_jackdaw(arguments);
    EXPECT_EQ(outcome_.status, 0) << words << outcome_.err;
    EXPECT_EQ(outcome_.err, "") << words;
    EXPECT_NE(outcome_.out, "") << words;
    if (outcome_.status != 0) return {};
    EXPECT_EQ(folder_.contents(), std::vector<std::string>{"result.json"}) << words;
    return json::parse(read_file(path));
  }

  TemporaryFolder folder_;
  Outcome outcome_;
};

TEST_F(Mark, WritesEveryKeyTheRightNumberOfTimes) {
  for (const std::size_t repeat : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
    const json result = mark({"tree:10", "--threads", "2", "--repeat", std::to_string(repeat)});
    expect_mark_result(result, repeat);
    EXPECT_EQ(result["graph"], "tree:10");
    EXPECT_EQ(result["threads"], 2);
    EXPECT_EQ(result["queue"], "bwos-lifo");
    EXPECT_EQ(result["victim"], "numa-prob");
    EXPECT_FALSE(result.contains("baseline"));
    EXPECT_FALSE(result.contains("ratio_to_baseline"));
    EXPECT_FALSE(result.contains("baselines"));
    EXPECT_FALSE(result.contains("verified"));
  }
}

TEST_F(Mark, OfATreeMarksEveryNode) {
  const json result = mark({"tree:15", "--verify"});
  EXPECT_EQ(result["objects"], 65'535);
  EXPECT_EQ(result["verified"], true);
  for (const json& run : result["runs"]) {
    EXPECT_EQ(run["objects_marked"], 65'535);
    EXPECT_EQ(run["references"], 65'534);
  }
}

TEST_F(Mark, PrintsTablesWithTheSameFigures) {
  const json result = mark({"list:1000", "--threads", "2", "--repeat", "3", "--verify"});
  EXPECT_NE(outcome_.out.find("list:1000: 1000 objects, 1000 marked, 999 references"), std::string::npos)
      << outcome_.out;
  EXPECT_NE(outcome_.out.find("verified"), std::string::npos);
  EXPECT_NE(outcome_.out.find("2 mark threads, queue bwos-lifo, victim numa-prob"), std::string::npos);
  EXPECT_NE(outcome_.out.find("steal percentage"), std::string::npos);
  EXPECT_EQ(outcome_.out.back(), '\n');
}

TEST_F(Mark, LeavesASmallHeapToTheFirstWorker) {
  const json result = mark({"tree:8", "--threads", "3", "--verify"});
  EXPECT_EQ(result["serial"], 8192);
  for (const json& run : result["runs"]) {
    EXPECT_EQ(run["workers"][0]["tasks_executed"], 511);
    EXPECT_EQ(sum_over_workers(run, "tasks_executed"), 511U);
    EXPECT_EQ(sum_over_workers(run, "victims_refused"), 0U);
  }
  EXPECT_EQ(mark({"tree:8", "--threads", "3", "--serial", "0"})["serial"], 0);
}

TEST_F(Mark, WithoutJsonWritesNoFile) {
  const Outcome outcome = run_jackdaw({"mark", "tree:5"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("tree:5: 63 objects, 63 marked"), std::string::npos) << outcome.out;
}

TEST_F(Mark, ReplacesAnEarlierResult) {
  write_file(folder_.file("result.json"), "earlier");
  EXPECT_EQ(mark({"tree:3"})["objects"], 15);
}

class MarkJavaHeap : public Mark, public testing::WithParamInterface<int> {};

TEST_P(MarkJavaHeap, CountsAreThoseOfTheDump) {
  const json result = mark(
      {"hprof:" + java_heap_dump(), "--verify", "--repeat", "2", "--threads", std::to_string(GetParam())});
  expect_mark_result(result, 2);
  EXPECT_EQ(result["verified"], true);
  EXPECT_EQ(result["objects"], 141'417);
  for (const json& run : result["runs"]) {
    EXPECT_EQ(run["objects_marked"], 137'384);
    EXPECT_EQ(run["references"], 415'442);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, MarkJavaHeap, testing::Values(1, 2, 8));

class MarkGraph : public Mark, public testing::WithParamInterface<std::string> {};

TEST_P(MarkGraph, IsVerifiedForAnyNumberOfThreadsAndEitherVictimPolicy) {
  for (const std::string threads : {"1", "2", "8"}) {
    for (const std::string victim : {"random", "numa-prob"}) {
      const json result = mark({GetParam(), "--verify", "--repeat", "3", "--threads", threads, "--victim",
                                victim, "--seed", "5", "--serial", "0"});
      expect_mark_result(result, 3);
      EXPECT_EQ(result["verified"], true);
      EXPECT_EQ(std::to_string(result["threads"].get<int>()), threads);
      EXPECT_EQ(result["victim"], victim);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, MarkGraph,
                         testing::Values("tree:0", "tree:12", "list:1", "list:5000", "array:1", "array:5000",
                                         "strings:1", "strings:3000", "numbers:1", "numbers:2000",
                                         "ordered:5000,4", "shuffled:5000,4", "random:5000,3", "rmat:10,16",
                                         "comb:70,70", "comb:1,5000"),
                         [](const testing::TestParamInfo<std::string>& info) {
                           std::string name = info.param;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char letter) { return letter == ':' || letter == ','; }, '_');
                           return name;
                         });

TEST_F(Mark, WithAQueueOfFourTasksOverflowsAndIsRight) {
  const json result =
      mark({"ordered:20000,4", "--verify", "--threads", "2", "--blocks", "2", "--block-size", "2"});
  EXPECT_EQ(result["verified"], true);
  for (const json& run : result["runs"]) {
    EXPECT_EQ(run["objects_marked"], 20'000);
    EXPECT_GT(sum_over_workers(run, "overflow_pushes"), 0U);
  }
}

TEST_F(Mark, ObjectBytesMakeObjectsLarger) {
  const json small = mark({"list:100000", "--object-bytes", "16", "--repeat", "1"});
  const json large = mark({"list:100000", "--object-bytes", "1000", "--repeat", "1"});
  EXPECT_GE(large["heap_bytes"].get<std::uint64_t>(), 100'000'000U);
  EXPECT_LT(small["heap_bytes"].get<std::uint64_t>(), 50'000'000U);
}

TEST_F(Mark, TheSeedDecidesTheGraph) {
  const json first = mark({"random:2000,2", "--seed", "1", "--repeat", "1"});
  const json again = mark({"random:2000,2", "--seed", "1", "--repeat", "1"});
  const json other = mark({"random:2000,2", "--seed", "2", "--repeat", "1"});
  const auto marked = [](const json& result) {
    return result["runs"][0]["objects_marked"].get<std::uint64_t>();
  };
  EXPECT_EQ(marked(first), marked(again));
  EXPECT_NE(marked(first), marked(other));
}

TEST_F(Mark, ThreadsMayBeLeftToTheMachine) {
  EXPECT_GE(mark({"tree:8", "--threads", "auto"})["threads"].get<int>(), 1);
  EXPECT_GE(mark({"tree:8"})["threads"].get<int>(), 1);
}

// The baselines that were asked for, in that order, their figures in agreement with one another and with the
// table. `of_ours`: with which median of ours each is compared.
void expect_baselines(const json& result, const std::string& table, std::size_t runs,
                      const std::vector<std::pair<std::string, std::string>>& of_ours) {
  ASSERT_EQ(result["baselines"].size(), of_ours.size());
  for (std::size_t i = 0; i < of_ours.size(); ++i) {
    const auto& [name, ours] = of_ours[i];
    const json& baseline = result["baselines"][i];
    EXPECT_EQ(baseline["name"], name);
    EXPECT_GE(baseline["threads"].get<int>(), 1) << name;
    std::vector<double> times = baseline["wall_ms"].get<std::vector<double>>();
    ASSERT_EQ(times.size(), runs) << name;
    std::sort(times.begin(), times.end());
    EXPECT_GT(times.front(), 0) << name;
    EXPECT_DOUBLE_EQ(baseline["median_ms"].get<double>(), (times[(runs - 1) / 2] + times[runs / 2]) / 2);
    EXPECT_DOUBLE_EQ(baseline["ratio"].get<double>(),
                     result["median"][ours].get<double>() / baseline["median_ms"].get<double>());
    EXPECT_NE(table.find(" " + name + " ms   ratio"), std::string::npos) << table;
    const std::string library =
        baseline.contains("version") ? " " + baseline["version"].get<std::string>() : "";
    EXPECT_EQ(baseline.contains("version"), name == "boehm");
    EXPECT_NE(table.find("ratio to " + name + library + " with "), std::string::npos) << table;
  }
  json first = result["baselines"][0];
  EXPECT_EQ(result["ratio_to_baseline"], first["ratio"]);
  first.erase("ratio");
  EXPECT_EQ(result["baseline"], first);
}

TEST_F(Mark, BesideTheLibgcOfAFolderReportsItsVersion) {
  for (const std::string folder : {JACKDAW_OTHER_LIBGC, JACKDAW_OTHER_LIBGC "/lib"}) {
    for (const std::string interface : {"typed", "c"}) {
      const json result =
          mark({"tree:5", "--baseline", "boehm", "--libgc", folder, "--interface", interface});
      EXPECT_EQ(result["baseline"]["version"], "8.2.99");
      EXPECT_NE(outcome_.out.find("ratio to boehm 8.2.99 with "), std::string::npos) << outcome_.out;
    }
  }
}

TEST_F(Mark, BesideTheSystemsLibgcByALinkIsWhatItIsWithoutAFolder) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink(JACKDAW_SYSTEM_LIBGC, folder.file("libgc.so.1"));
  const json with_folder =
      mark({"tree:5", "--baseline", "boehm", "--libgc", folder.path(), "--verify"})["baseline"];
  const json without = mark({"tree:5", "--baseline", "boehm"})["baseline"];
  EXPECT_EQ(with_folder["version"], without["version"]);
}

TEST_F(Mark, BesideBoehmReportsItsTimesAndTheRatio) {
  const json result = mark({"tree:14", "--threads", "2", "--repeat", "4", "--baseline", "boehm", "--verify"});
  expect_mark_result(result, 4);
  expect_baselines(result, outcome_.out, 4, {{"boehm", "collect_ms"}});
}

TEST_F(Mark, BesideTbbReportsBothThatTakeObjects) {
  const json result = mark({"tree:14", "--threads", "2", "--repeat", "3", "--baseline", "tbb", "--verify"});
  expect_mark_result(result, 3);
  EXPECT_EQ(result["verified"], true);
  expect_baselines(result, outcome_.out, 3, {{"tbb-feeder", "wall_ms"}, {"tbb-tasks", "wall_ms"}});
  for (const json& baseline : result["baselines"]) EXPECT_EQ(baseline["threads"], 2);
}

// Whether the command was built with a compiler that has OpenMP.
bool has_openmp() {
  const Outcome outcome = run_jackdaw({"mark", "tree:0", "--repeat", "1", "--baseline", "openmp"});
  return outcome.err.find("this build has no OpenMP") == std::string::npos;
}

TEST_F(Mark, BesideSeveralReportsEachInTheOrderAskedFor) {
  if (!has_openmp()) GTEST_SKIP() << "this build has no OpenMP";
  for (const std::string threads : {"1", "2", "8"}) {
    const json result =
        mark({"random:5000,3", "--threads", threads, "--repeat", "2", "--verify", "--baseline",
              "openmp,boehm,tbb-tasks,tbb-packets,tbb-feeder,openmp-packets", "--limit"});
    expect_mark_result(result, 2);
    EXPECT_EQ(result["verified"], true);
    expect_baselines(result, outcome_.out, 2,
                     {{"openmp", "wall_ms"},
                      {"boehm", "collect_ms"},
                      {"tbb-tasks", "wall_ms"},
                      {"tbb-packets", "wall_ms"},
                      {"tbb-feeder", "wall_ms"},
                      {"openmp-packets", "wall_ms"}});
    EXPECT_EQ(std::to_string(result["baseline"]["threads"].get<int>()), threads);
  }
}

TEST_F(Mark, ThreadsOfABaselineAreThoseThatReallyRan) {
  if (!has_openmp()) GTEST_SKIP() << "this build has no OpenMP";
  setenv("OMP_THREAD_LIMIT", "2", 1);
  setenv("OMP_DYNAMIC", "true", 1);  // fewer threads than asked for are no reason to complain
  const json result =
      mark({"tree:10", "--threads", "3", "--repeat", "1", "--baseline", "openmp", "--verify"});
  unsetenv("OMP_THREAD_LIMIT");
  unsetenv("OMP_DYNAMIC");
  EXPECT_EQ(result["threads"], 3);
  EXPECT_LE(result["baseline"]["threads"].get<int>(), 2);
  EXPECT_EQ(outcome_.out.find("ratio to openmp with 3 threads"), std::string::npos) << outcome_.out;
}

TEST_F(Mark, BesideReadingMemoryReportsItsTimesAndTheRatio) {
  for (const auto& [graph, order] :
       {std::pair("ordered:5000,4", "stream"), std::pair("shuffled:5000,4", "random")}) {
    const json result = mark({graph, "--threads", "2", "--repeat", "3", "--limit", "--verify"});
    expect_mark_result(result, 3);
    ASSERT_TRUE(result.contains("limit"));
    const json& limit = result["limit"];
    EXPECT_EQ(limit["order"], order);
    EXPECT_GT(limit["lines"].get<int>(), 5000 * 3 / 4 - 1);
    ASSERT_EQ(limit["wall_ms"].size(), 3U);
    std::vector<double> times = limit["wall_ms"].get<std::vector<double>>();
    std::sort(times.begin(), times.end());
    EXPECT_GT(times.front(), 0);
    EXPECT_DOUBLE_EQ(limit["median_ms"].get<double>(), times[1]);
    EXPECT_DOUBLE_EQ(result["ratio_to_limit"].get<double>(),
                     result["median"]["wall_ms"].get<double>() / limit["median_ms"].get<double>());
    EXPECT_NE(outcome_.out.find("ratio to reading memory"), std::string::npos) << outcome_.out;
  }
  EXPECT_FALSE(mark({"tree:5"}).contains("limit"));
}

TEST_F(Mark, BesideThePlainLoopReportsItsTimesAndTheRatio) {
  const json result = mark({"shuffled:5000,4", "--threads", "1", "--repeat", "3", "--limit"});
  const json& loop = result["plain_loop"];
  EXPECT_EQ(loop["objects_marked"], 5000);
  ASSERT_EQ(loop["wall_ms"].size(), 3U);
  std::vector<double> times = loop["wall_ms"].get<std::vector<double>>();
  std::sort(times.begin(), times.end());
  EXPECT_GT(times.front(), 0);
  EXPECT_DOUBLE_EQ(loop["median_ms"].get<double>(), times[1]);
  EXPECT_DOUBLE_EQ(result["ratio_to_plain_loop"].get<double>(),
                   result["median"]["wall_ms"].get<double>() / times[1]);
  EXPECT_NE(outcome_.out.find("ratio to a plain loop of one thread"), std::string::npos) << outcome_.out;
  EXPECT_FALSE(mark({"tree:5"}).contains("plain_loop"));
}

TEST_F(Mark, WithoutBoundsSaysNothingOfThem) {
  EXPECT_FALSE(mark({"tree:5"}).contains("bounds"));
  EXPECT_EQ(outcome_.out.find("Theorem"), std::string::npos) << outcome_.out;
}

// Every key, and the figures agree with one another and with the usual runs. `several`: the numbers of
// workers beyond one.
void expect_bounds(const json& result, const std::vector<int>& several, std::size_t repeat) {
  const json& bounds = result["bounds"];
  expect_numbers(bounds, {"work_tasks", "span_tasks", "parallelism", "one_worker_ms", "ns_per_task",
                          "span_ms", "one_worker_held_tasks"});
  const auto work = bounds["work_tasks"].get<std::uint64_t>();
  for (const json& run : result["runs"]) EXPECT_EQ(sum_over_workers(run, "tasks_executed"), work);
  EXPECT_DOUBLE_EQ(bounds["parallelism"].get<double>(),
                   static_cast<double>(work) / bounds["span_tasks"].get<double>());
  ASSERT_EQ(bounds["runs"].size(), several.size() + 1);
  EXPECT_EQ(bounds["runs"][0]["workers"], 1);
  EXPECT_EQ(bounds["runs"][0]["held_tasks"], bounds["one_worker_held_tasks"]);
  for (std::size_t i = 0; i < several.size(); ++i) EXPECT_EQ(bounds["runs"][i + 1]["workers"], several[i]);
  for (const json& runs : bounds["runs"]) {
    expect_numbers(runs, {"median_ms", "share_ms", "greedy_ms", "steal_attempts", "steals", "victims_refused",
                          "attempts_ratio", "held_tasks", "space_bound", "space_ratio"});
    EXPECT_EQ(runs["wall_ms"].size(), repeat);
    EXPECT_GE(runs["held_tasks"].get<std::uint64_t>(), 1U);
    EXPECT_EQ(runs["space_bound"].get<std::uint64_t>(),
              bounds["one_worker_held_tasks"].get<std::uint64_t>() * runs["workers"].get<std::uint64_t>());
    EXPECT_EQ(runs.contains("fitted_ms"), !several.empty());
  }
  ASSERT_EQ(bounds.contains("fit"), !several.empty());
  if (several.empty()) return;
  EXPECT_TRUE(bounds["fit"]["c"].is_number());
  expect_numbers(bounds["fit"], {"residual_ms"});
  EXPECT_EQ(bounds["fit"]["exact"], several.size() == 1);
}

TEST_F(Mark, BoundsAreThoseOfTheGraph) {
  struct Expected {
    std::string graph;
    int work;
    int span;
  };
  // An array of two slices is two tasks, the second a task below the first; the data it refers to are none.
  constexpr std::uint64_t kSlice = ::jackdaw::mark::Slices::kSliceElements;
  for (const auto& [graph, work, span] :
       {Expected{"list:1", 1, 1}, Expected{"list:3000", 3000, 3000}, Expected{"tree:0", 1, 1},
        Expected{"tree:9", 1023, 10}, Expected{"comb:30,20", 630, 50},
        Expected{"array:" + std::to_string(kSlice), 1, 1},
        Expected{"array:" + std::to_string(2 * kSlice), 2, 2}}) {
    const json result = mark({graph, "--bounds", "--threads", "2", "--repeat", "2", "--verify"});
    expect_bounds(result, {2}, 2);
    EXPECT_EQ(result["verified"], true);
    EXPECT_EQ(result["bounds"]["work_tasks"], work) << graph;
    EXPECT_EQ(result["bounds"]["span_tasks"], span) << graph;
  }
}

TEST_F(Mark, BoundsAreMeasuredForEveryPowerOfTwoAndTheThreadsThemselves) {
  expect_bounds(mark({"shuffled:2000,4", "--bounds", "--threads", "6", "--repeat", "3"}), {2, 4, 6}, 3);
  for (const std::string words :
       {"Theorem 1)", "Theorem 13", "Theorem 14", "Theorem 5", "T1/P+c*Tinf", "residual"})
    EXPECT_NE(outcome_.out.find(words), std::string::npos) << words << " is missing in\n" << outcome_.out;
}

TEST_F(Mark, BoundsOfOneWorkerAreTermsAlone) {
  for (const std::string queue : {"bwos-lifo", "sequential-lifo"}) {
    expect_bounds(mark({"tree:8", "--bounds", "--threads", "1", "--repeat", "1", "--queue", queue}), {}, 1);
    EXPECT_NE(outcome_.out.find("T1/Tinf"), std::string::npos) << outcome_.out;
    EXPECT_EQ(outcome_.out.find("Theorem"), std::string::npos) << outcome_.out;
  }
}

TEST_F(Mark, BoundsGoWithTheOtherOptions) {
  expect_bounds(mark({"random:3000,3", "--bounds",   "--threads",    "3",           "--repeat",      "1",
                      "--queue",       "chase-lev",  "--victim",     "best-of-two", "--steal-batch", "4",
                      "--blocks",      "2",          "--block-size", "8",           "--warmup",      "0",
                      "--verify",      "--baseline", "boehm"}),
                {2, 3}, 1);
}

TEST_F(Mark, TheJavaHeapFitsInBoehmToo) {
  const json result =
      mark({"hprof:" + java_heap_dump(), "--threads", "2", "--repeat", "1", "--baseline", "boehm"});
  EXPECT_EQ(result["runs"][0]["objects_marked"], 137'384);
  EXPECT_EQ(result["baseline"]["wall_ms"].size(), 1U);
}

}  // namespace
}  // namespace jackdaw::cli
