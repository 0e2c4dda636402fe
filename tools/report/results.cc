#include "tools/report/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "tools/command/input_error.h"
#include "tools/graph/byte_source.h"
#include "tools/profile/profile_file.h"
#include "tools/report/checked_json.h"
#include "tools/report/flame_graph.h"

namespace jackdaw::tools {

namespace {

using nlohmann::json;
using Keys = std::initializer_list<const char*>;

// A run of `jackdaw mark` and its median must have these keys, and the next ones with typed objects.
constexpr Keys kFigures = {"collect_ms", "ns_per_object"};
constexpr Keys kFiguresOfMarking = {"wall_ms", "steal_percent"};
constexpr Keys kFiguresOfWorkers = {"tasks_executed", "steals", "tasks_stolen", "idle_time_ms"};
constexpr Keys kFiguresOfLatency = {"threads",      "p50_us",       "p99_us",          "p99_9_us",
                                    "max_us",       "due_p50_us",   "due_p99_us",      "due_p99_9_us",
                                    "due_max_us",   "collections",  "pauses",          "pause_p50_ms",
                                    "pause_p90_ms", "pause_p99_ms", "longest_pause_ms"};
constexpr Keys kActivities = {"work", "steal", "idle", "sleep"};

void copy_numbers(const CheckedJson& from, Keys keys, json& to) {
  for (const char* const key : keys) to[key] = from.at(key).number();
}

json figures(const CheckedJson& from, bool typed) {
  json to = json::object();
  copy_numbers(from, kFigures, to);
  if (typed) copy_numbers(from, kFiguresOfMarking, to);
  return to;
}

std::string name_and_version(const CheckedJson& baseline) {
  auto name = baseline.at("name").text().get<std::string>();
  if (baseline.has("version")) name.append(1, ' ').append(baseline.at("version").text().get<std::string>());
  return name;
}

json baselines(const CheckedJson& result, std::size_t runs) {
  json all = json::array();
  if (!result.has("baselines")) return all;
  for (const CheckedJson& baseline : result.at("baselines").list()) {
    json& one = all.emplace_back(json::object());
    one["name"] = name_and_version(baseline);
    one["phase"] = baseline.at("phase").text();
    if (one["phase"] != "marking" && one["phase"] != "collection")
      baseline.at("phase").fail("marking or collection belongs here");
    copy_numbers(baseline, {"threads", "median_ms", "ratio"}, one);
    one["wall_ms"] = baseline.at("wall_ms").numbers(runs, "run");
  }
  return all;
}

json limit(const CheckedJson& from, std::size_t runs) {
  json to = {{"order", from.at("order").text()}, {"wall_ms", from.at("wall_ms").numbers(runs, "run")}};
  copy_numbers(from, {"lines", "bytes", "median_ms"}, to);
  return to;
}

json bounds(const CheckedJson& from) {
  json to = {{"runs", json::array()}};
  for (const CheckedJson& run : from.at("runs").list()) {
    json& one = to["runs"].emplace_back(json::object());
    copy_numbers(run, {"workers", "median_ms"}, one);
    const CheckedJson times = run.at("wall_ms");
    one["wall_ms"] = times.numbers(times.list().size(), "run");
    if (one["wall_ms"].empty()) times.fail("at least one run belongs here");
  }
  if (to["runs"].empty()) from.at("runs").fail("at least one number of workers belongs here");
  return to;
}

json workers(const std::vector<CheckedJson>& from) {
  json all = json::array();
  for (const CheckedJson& worker : from) {
    json& one = all.emplace_back(json::object());
    copy_numbers(worker, kFiguresOfWorkers, one);
    one["steals_by_victim"] = worker.at("steals_by_victim").numbers(from.size(), "worker");
  }
  return all;
}

json span_of_time_line(const CheckedJson& from) {
  json to = {{"activity", from.at("activity").text()}};
  if (std::ranges::find(kActivities, to["activity"]) == kActivities.end())
    from.at("activity").fail("work, steal, idle or sleep belongs here");
  copy_numbers(from, {"start_ms", "end_ms"}, to);
  if (from.has("victim")) copy_numbers(from, {"victim", "tasks"}, to);
  return to;
}

json time_line(const CheckedJson& from) {
  json to = {{"workers", json::array()}};
  copy_numbers(from, {"wall_ms", "dropped"}, to);
  for (const CheckedJson& worker : from.at("workers").list()) {
    json& spans = to["workers"].emplace_back(json::array());
    for (const CheckedJson& span : worker.list()) {
      spans.push_back(span_of_time_line(span));
      if (spans.back()["end_ms"] > to["wall_ms"] || spans.back()["start_ms"] > spans.back()["end_ms"])
        span.fail("it must not end after the run, nor before its start");
    }
  }
  return to;
}

const CheckedJson& nearest_median(const std::vector<CheckedJson>& runs, double median_ms) {
  const auto distance = [&](const CheckedJson& run) {
    return std::abs(run.at("wall_ms").number().get<double>() - median_ms);
  };
  return *std::ranges::min_element(runs, {}, distance);
}

// Results of before 0.2 do not tell.
json provenance_of(const CheckedJson& from) {
  json to = json::object();
  if (!from.has("made")) return to;
  for (const char* const key : {"date", "machine", "kernel", "version", "command"})
    to[key] = from.at("made").at(key).text();
  return to;
}

json mark_result(const CheckedJson& from) {
  json to = {{"kind", "mark"}, {"made", provenance_of(from)}};
  for (const char* const key : {"graph", "interface", "our_objects"}) to[key] = from.at(key).text();
  copy_numbers(from, {"objects", "heap_bytes", "threads"}, to);
  const bool typed = to["interface"] == "typed";
  const std::vector<CheckedJson> runs = from.at("runs").list();
  if (runs.empty()) from.at("runs").fail("at least one run belongs here");
  for (const CheckedJson& run : runs) to["runs"].push_back(figures(run, typed));
  to["median"] = figures(from.at("median"), typed);
  to["baselines"] = baselines(from, runs.size());
  if (!typed) return to;
  for (const char* const key : {"queue", "victim"}) to[key] = from.at(key).text();
  to["workers"] = workers(nearest_median(runs, to["median"]["wall_ms"]).at("workers").list());
  if (from.has("limit")) {
    to["limit"] = limit(from.at("limit"), runs.size());
    to["ratio_to_limit"] = from.at("ratio_to_limit").number();
  }
  if (from.has("bounds")) to["bounds"] = bounds(from.at("bounds"));
  if (from.has("time_line")) to["time_line"] = time_line(from.at("time_line"));
  return to;
}

json latency_result(const CheckedJson& from) {
  json to = {{"kind", "latency"}};
  copy_numbers(from, kFiguresOfLatency, to);
  return to;
}

json parse(const std::string& text, const std::string& file) {
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    throw InputError(
        fmt::format("{}: byte {}: it is no JSON; a result of jackdaw mark --json, or a profile, belongs here",
                    file, error.byte));
  } catch (const json::out_of_range&) {
    throw InputError(fmt::format("{}: a number is out of range", file));
  }
}

std::string text_of(const std::string& path) {
  ByteSource source(path);
  std::string text;
  while (!source.at_end()) text.push_back(static_cast<char>(source.read_u1()));
  return text;
}

// A profile names its values; no other file here is without braces.
bool is_profile(const std::string& text) {
  return text.find("inuse_space") != std::string::npos && text[text.find_first_not_of(" \t\r\n")] != '{';
}

json profile_result(const std::string& path) {
  json results = json::array({flame_graph(read_profile(path))});
  results.back()["label"] = std::filesystem::path(path).stem();
  return results;
}

// Paths distinguish results whose files, or programs, have the same name.
void make_labels_distinct(std::vector<std::string>& paths, json& results) {
  std::map<std::string, int> count;
  for (const json& result : results) ++count[result["label"]];
  std::map<std::string, int> numbered;
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::string label = results[i]["label"];
    if (count[label] > 1)
      results[i]["label"] = label =
          std::filesystem::path(paths[i]).stem() == label ? paths[i] : fmt::format("{}: {}", paths[i], label);
    if (++numbered[label] > 1) throw InputError(fmt::format("{}: named twice; name each file once", label));
  }
}

}  // namespace

json results_of(const std::string& text, const std::string& file) {
  const json whole = parse(text, file);
  const CheckedJson from(whole, file);
  json results = json::array();
  if (from.has("graph")) {
    results.push_back(mark_result(from));
    results.back()["label"] = std::filesystem::path(file).stem();
  } else if (from.has("programs")) {
    for (const CheckedJson& program : from.at("programs").list()) {
      results.push_back(latency_result(program.at("medians")));
      results.back()["label"] = program.at("label").text();
    }
  } else if (from.has("program") && from.at("program").text() == "latency") {
    results.push_back(latency_result(from));
    results.back()["label"] = std::filesystem::path(file).stem();
  } else {
    from.fail("it is no result of jackdaw mark --json, nor of bench/programs/latency");
  }
  return results;
}

json read_results(std::span<const std::string> paths) {
  json all = json::array();
  std::vector<std::string> path_of;
  for (const std::string& path : paths) {
    const std::string text = text_of(path);
    json results = is_profile(text) ? profile_result(path) : results_of(text, path);
    for (json& result : results) {
      all.push_back(std::move(result));
      path_of.push_back(path);
    }
  }
  make_labels_distinct(path_of, all);
  return all;
}

}  // namespace jackdaw::tools
