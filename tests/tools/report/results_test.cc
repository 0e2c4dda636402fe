// Results as the report takes them: what is kept of them, and what is refused.
#include "tools/report/results.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/refusal.h"
#include "tools/command/input_error.h"
#include "tools/report/report_page.h"

namespace jackdaw::tools {
namespace {

using nlohmann::json;

json worker(int steals_from_other) {
  return {{"tasks_executed", 10},
          {"steals", steals_from_other},
          {"tasks_stolen", steals_from_other},
          {"idle_time_ms", 0.5},
          {"steals_by_victim", {steals_from_other, 0}},
          {"pops", 7}};
}

json run(double ms, int steals) {
  return {{"wall_ms", ms},
          {"collect_ms", ms + 1},
          {"ns_per_object", ms},
          {"steal_percent", 1},
          {"workers", {worker(0), worker(steals)}}};
}

// A result as `jackdaw mark --json` writes it, with three runs of two workers.
json marked() {
  json median = run(2, 0);
  median.erase("workers");
  return {{"graph", "tree:3"},
          {"interface", "typed"},
          {"our_objects", "typed"},
          {"objects", 15},
          {"heap_bytes", 4096},
          {"threads", 2},
          {"queue", "bwos-lifo"},
          {"victim", "numa-prob"},
          {"runs", {run(1, 1), run(2, 2), run(9, 3)}},
          {"median", median},
          {"baselines",
           {{{"name", "boehm"},
             {"version", "8.2.12"},
             {"phase", "collection"},
             {"threads", 2},
             {"wall_ms", {4, 5, 6}},
             {"median_ms", 5},
             {"ratio", 0.6}}}},
          {"limit",
           {{"order", "random"}, {"lines", 3}, {"bytes", 192}, {"wall_ms", {1, 1, 1}}, {"median_ms", 1}}},
          {"ratio_to_limit", 2},
          {"bounds", {{"runs", {{{"workers", 1}, {"wall_ms", {3, 4}}, {"median_ms", 3.5}}}}}},
          {"time_line",
           {{"wall_ms", 2},
            {"dropped", 0},
            {"workers",
             {{{{"activity", "work"}, {"start_ms", 0}, {"end_ms", 2}}},
              {{{"activity", "steal"}, {"start_ms", 0}, {"end_ms", 1}, {"victim", 0}, {"tasks", 4}}}}}}}};
}

json latency() {
  json result = {{"program", "latency"}};
  for (const char* const key : {"threads", "p50_us", "p99_us", "p99_9_us", "max_us", "due_p50_us",
                                "due_p99_us", "due_p99_9_us", "due_max_us", "collections", "pauses",
                                "pause_p50_ms", "pause_p90_ms", "pause_p99_ms", "longest_pause_ms"})
    result[key] = 3;
  return result;
}

std::string refusal_of(const std::string& text) {
  return message_of<InputError>([&] { return results_of(text, "r.json"); });
}

TEST(Results, KeepWhatTheReportShows) {
  const json results = results_of(marked().dump(), "folder/r.json");
  ASSERT_EQ(results.size(), 1U);
  const json& result = results[0];
  EXPECT_EQ(result["label"], "r");
  EXPECT_EQ(result["kind"], "mark");
  EXPECT_EQ(result["objects"], 15);
  ASSERT_EQ(result["runs"].size(), 3U);
  EXPECT_EQ(result["runs"][2]["wall_ms"], 9.0);
  EXPECT_FALSE(result["runs"][2].contains("workers"));
  EXPECT_EQ(result["workers"][1]["steals"], 2) << "of the run nearest the median";
  EXPECT_EQ(result["workers"][1]["steals_by_victim"], json({2, 0}));
  EXPECT_FALSE(result["workers"][1].contains("pops"));
  EXPECT_EQ(result["baselines"][0]["name"], "boehm 8.2.12");
  EXPECT_EQ(result["baselines"][0]["wall_ms"], json({4, 5, 6}));
  EXPECT_EQ(result["bounds"]["runs"][0]["median_ms"], 3.5);
  EXPECT_EQ(result["time_line"]["workers"][1][0]["victim"], 0);
}

TEST(Results, OfConservativeObjectsHaveNoWorkers) {
  json conservative = marked();
  conservative["interface"] = "c";
  for (json& one : conservative["runs"]) one = {{"collect_ms", 2}, {"ns_per_object", 3}};
  conservative["median"] = conservative["runs"][0];
  EXPECT_FALSE(results_of(conservative.dump(), "r.json")[0].contains("workers"));
}

TEST(Results, OfLatencyComeAloneOrFromCompare) {
  EXPECT_EQ(results_of(latency().dump(), "r.json")[0]["longest_pause_ms"], 3);
  const json compared = {
      {"programs",
       {{{"label", "libgc"}, {"medians", latency()}}, {{"label", "jackdaw"}, {"medians", latency()}}}}};
  const json results = results_of(compared.dump(), "r.json");
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[1]["label"], "jackdaw");
  EXPECT_EQ(results[1]["kind"], "latency");
}

TEST(Results, ThatMissAKeyAreRefusedByItsPlace) {
  const std::vector<std::pair<json::json_pointer, std::string>> keys = {
      {"/objects"_json_pointer, "objects"},
      {"/runs/1/collect_ms"_json_pointer, "runs[1].collect_ms"},
      {"/median/ns_per_object"_json_pointer, "median.ns_per_object"},
      {"/baselines/0/phase"_json_pointer, "baselines[0].phase"},
      {"/runs/1/workers/0/steals_by_victim"_json_pointer, "runs[1].workers[0].steals_by_victim"},
      {"/limit/median_ms"_json_pointer, "limit.median_ms"},
      {"/ratio_to_limit"_json_pointer, "ratio_to_limit"},
      {"/bounds/runs/0/workers"_json_pointer, "bounds.runs[0].workers"},
      {"/time_line/workers/1/0/end_ms"_json_pointer, "time_line.workers[1][0].end_ms"}};
  for (const auto& [pointer, place] : keys) {
    json result = marked();
    result[pointer.parent_pointer()].erase(pointer.back());
    EXPECT_EQ(refusal_of(result.dump()), "r.json: " + place + " is missing");
  }
}

TEST(Results, WithWrongValuesAreRefusedByTheirPlace) {
  const std::vector<std::tuple<json::json_pointer, json, std::string>> wrong = {
      {"/graph"_json_pointer, 3, "graph: a text"},
      {"/objects"_json_pointer, "15", "objects: a number"},
      {"/objects"_json_pointer, -1, "objects: a number"},
      {"/runs"_json_pointer, json::array(), "runs: at least one"},
      {"/runs"_json_pointer, 3, "runs: a list"},
      {"/runs/0"_json_pointer, 3, "runs[0]: an object"},
      {"/baselines/0/phase"_json_pointer, "both", "baselines[0].phase: marking or collection"},
      {"/baselines/0/wall_ms"_json_pointer, {1, 2}, "baselines[0].wall_ms: 2 elements; there must be 3"},
      {"/limit/wall_ms/2"_json_pointer, nullptr, "limit.wall_ms[2]: a number"},
      {"/runs/1/workers/1/steals_by_victim"_json_pointer, {1}, "runs[1].workers[1].steals_by_victim: 1 el"},
      {"/time_line/workers/0/0/activity"_json_pointer, "rest", "time_line.workers[0][0].activity: work"},
      {"/time_line/workers/0/0/end_ms"_json_pointer, 3, "time_line.workers[0][0]: it must not end after"},
      {"/bounds/runs/0/wall_ms"_json_pointer, json::array(), "bounds.runs[0].wall_ms: at least one"}};
  for (const auto& [pointer, value, refusal] : wrong) {
    json result = marked();
    result[pointer] = value;
    EXPECT_TRUE(refusal_of(result.dump()).starts_with("r.json: " + refusal)) << refusal_of(result.dump());
  }
}

TEST(Results, ThatAreNoneAreRefused) {
  EXPECT_TRUE(refusal_of("").starts_with("r.json: byte 1: it is no JSON"));
  EXPECT_TRUE(refusal_of("{\"graph\":").starts_with("r.json: byte 10: it is no JSON"));
  EXPECT_EQ(refusal_of("{\"graph\": 1e999}"), "r.json: a number is out of range");
  EXPECT_TRUE(refusal_of(std::string(100'000, '[')).starts_with("r.json: byte 100001: it is no JSON"));
  for (const char* const text : {"[]", "3", "{}", "{\"program\": \"gcbench\"}"})
    EXPECT_TRUE(refusal_of(text).starts_with("r.json: the whole: it is no result")) << text;
}

TEST(Results, OfFilesWithOneNameAreToldApartByTheirPaths) {
  const std::filesystem::path folder = testing::TempDir() + "results_" + std::to_string(getpid());
  std::vector<std::string> paths;
  for (const char* const name : {"before", "after"}) {
    std::filesystem::create_directories(folder / name);
    paths.push_back(folder / name / "r.json");
    std::ofstream(paths.back()) << marked();
  }
  const json results = read_results(paths);
  EXPECT_EQ(results[0]["label"], paths[0]);
  EXPECT_EQ(results[1]["label"], paths[1]);
  paths.push_back(paths.back());
  EXPECT_THROW(read_results(paths), InputError);
  std::filesystem::remove_all(folder);
}

// Returns the results that the page's script will read, if the page is there.
json embedded(const std::string& page) {
  const std::string start = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(start) + start.size();
  return json::parse(page.substr(from, page.find("</script>", from) - from));
}

TEST(ReportPage, HoldsTheResultsWhateverTheirTexts) {
  try {
    require_report_page();
  } catch (const InputError&) {
    GTEST_SKIP() << "built without the charts' library";
  }
  json result = marked();
  result["graph"] = "</script><!-- <script> & \" \\ \u2028 \u2029 \xc3\xa9";
  const json results = results_of(result.dump(), "r.json");
  const std::string page = report_page(results);
  EXPECT_EQ(embedded(page)["results"], results);
  EXPECT_EQ(page.find("\u2028"), std::string::npos);
  for (const char* const place :
       {"@STYLE@", "@DATA@", "@LICENCE@", "@VEGA@", "@CHARTS@", "@FIGURES@", "@STUDY@", "@FLAME@", "@PAGE@"})
    EXPECT_EQ(page.find(place), std::string::npos) << place;
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  const json not_utf8 = json::array({json::object({{"label", "\xff.json"}})});
  EXPECT_EQ(embedded(report_page(not_utf8))["results"][0]["label"], "\xef\xbf\xbd.json");
}

}  // namespace
}  // namespace jackdaw::tools
