#include "bench/baseline/result_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

namespace jackdaw::bench {

namespace {

// Returns the heading of the column of a baseline's times, which gives its width.
std::string times_column(const BaselineResult& baseline) { return baseline.name + " ms"; }
std::size_t width_of_times(const BaselineResult& baseline) {
  constexpr std::size_t kLeastWidth = 12;
  return std::max(kLeastWidth, times_column(baseline).size());
}

nlohmann::ordered_json baseline_to_json(const BaselineResult& baseline) {
  nlohmann::ordered_json json = {{"name", baseline.name}};
  if (!baseline.version.empty()) json["version"] = baseline.version;
  json["phase"] = baseline.phase == Phase::marking ? "marking" : "collection";
  json["threads"] = baseline.threads;
  json["wall_ms"] = baseline.wall_ms;
  json["median_ms"] = baseline.median_ms;
  return json;
}

}  // namespace

std::string_view to_string(OurObjects objects) {
  return objects == OurObjects::typed ? "typed" : "conservative";
}

void format_baseline_headings(std::span<const BaselineResult> baselines, std::string& out) {
  for (const BaselineResult& baseline : baselines) {
    fmt::format_to(std::back_inserter(out), " {:>{}} {:>7}", times_column(baseline), width_of_times(baseline),
                   "ratio");
  }
}

void format_baseline_time(const BaselineResult& baseline, double our_ms, double baseline_ms,
                          std::string& out) {
  fmt::format_to(std::back_inserter(out), " {:>{}.3f} {:>7.3f}", baseline_ms, width_of_times(baseline),
                 our_ms / baseline_ms);
}

void format_ratios(std::span<const BaselineResult> baselines, OurObjects objects, std::string& out) {
  for (const BaselineResult& baseline : baselines) {
    fmt::format_to(std::back_inserter(out),
                   "ratio to {} with {} thread{}: {:.3f} ({}, our objects {}; medians; below 1 is faster)\n",
                   baseline.name_and_version(), baseline.threads, baseline.threads == 1 ? "" : "s",
                   baseline.ratio, baseline.phase == Phase::marking ? "marking alone" : "whole collections",
                   to_string(objects));
  }
}

// The first one is also written by itself, for scripts that need only one.
void add_baselines(std::span<const BaselineResult> baselines, nlohmann::ordered_json& json) {
  if (baselines.empty()) return;
  json["baseline"] = baseline_to_json(baselines.front());
  json["ratio_to_baseline"] = baselines.front().ratio;
  json["baselines"] = nlohmann::ordered_json::array();
  for (const BaselineResult& baseline : baselines) {
    json["baselines"].push_back(baseline_to_json(baseline));
    json["baselines"].back()["ratio"] = baseline.ratio;
  }
}

}  // namespace jackdaw::bench
