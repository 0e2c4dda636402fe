#include "bench/mark/conservative_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "bench/baseline/result_report.h"
#include "bench/mark/plain_loop_report.h"
#include "tools/command/memory_limit.h"
#include "tools/command/printable_name.h"
#include "tools/command/provenance.h"

namespace jackdaw::bench {

namespace {

std::string describe_interior_pointers(const CollectorSetting& setting) {
  if (!setting.displacements) return "every address in an object keeps it";
  return fmt::format("all interior pointers off, {} displacement{} registered", *setting.displacements,
                     *setting.displacements == 1 ? "" : "s");
}

std::string describe_verification(const ConservativeReport& report) {
  if (!report.options.verify) return "";
  if (!report.all_correct()) return ", NOT CORRECT";
  return fmt::format(", verified, {} unreachable ones kept", report.most_kept);
}

void format_heading(const ConservativeReport& report, std::string& out) {
  fmt::format_to(std::back_inserter(out),
                 "{}: {} objects, {} reachable{}; heap {}\n"
                 "{} mark thread{}, C interface: our objects conservative, {}\n\n",
                 tools::printable(report.options.graph), report.objects, report.reachable,
                 describe_verification(report), tools::describe_bytes(report.heap_bytes), report.threads,
                 report.threads == 1 ? "" : "s", describe_interior_pointers(report.options.setting));
}

// `baseline_ms` returns a baseline's time in the run.
template <typename TimeOf>
void format_run(const ConservativeReport& report, const std::string& name, double our_ms, TimeOf baseline_ms,
                std::string& out) {
  fmt::format_to(std::back_inserter(out), "{:>7} {:>12.3f} {:>12.2f}", name, our_ms,
                 report.ns_per_object(our_ms));
  for (const BaselineResult& baseline : report.baselines)
    format_baseline_time(baseline, our_ms, baseline_ms(baseline), out);
  out += '\n';
}

void format_runs(const ConservativeReport& report, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{:>7} {:>12} {:>12}", "run", "collect ms", "ns/object");
  format_baseline_headings(report.baselines, out);
  out += '\n';
  const std::size_t shown = std::min(report.collect_ms.size(), kRunsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    format_run(
        report, std::to_string(i + 1), report.collect_ms[i],
        [i](const BaselineResult& baseline) { return baseline.wall_ms[i]; }, out);
  }
  if (shown < report.collect_ms.size()) {
    fmt::format_to(std::back_inserter(out), "{:>7} and {} more\n", "...", report.collect_ms.size() - shown);
  }
  format_run(
      report, "median", report.median_ms, [](const BaselineResult& baseline) { return baseline.median_ms; },
      out);
}

nlohmann::ordered_json figures_to_json(const ConservativeReport& report, double collect_ms) {
  return {{"collect_ms", collect_ms}, {"ns_per_object", report.ns_per_object(collect_ms)}};
}

}  // namespace

std::string format_tables(const ConservativeReport& report) {
  std::string out;
  format_heading(report, out);
  format_runs(report, out);
  if (!report.baselines.empty() || report.plain_loop) out += '\n';
  format_ratios(report.baselines, OurObjects::conservative, out);
  if (report.plain_loop) format_plain_loop(*report.plain_loop, report.median_ms, out);
  return out;
}

std::string to_json(const ConservativeReport& report) {
  const ConservativeExperimentOptions& options = report.options;
  nlohmann::ordered_json json = {{"made", tools::provenance()},
                                 {"graph", options.graph},
                                 {"interface", "c"},
                                 {"our_objects", to_string(OurObjects::conservative)},
                                 {"all_interior_pointers", !options.setting.displacements.has_value()},
                                 {"displacements", options.setting.displacements.value_or(0)},
                                 {"objects", report.objects},
                                 {"reachable", report.reachable},
                                 {"heap_bytes", report.heap_bytes},
                                 {"threads", report.threads},
                                 {"runs", nlohmann::ordered_json::array()}};
  for (const double collect_ms : report.collect_ms)
    json["runs"].push_back(figures_to_json(report, collect_ms));
  json["median"] = figures_to_json(report, report.median_ms);
  if (options.verify) {
    json["verified"] = report.all_correct();
    json["unreachable_kept"] = report.most_kept;
  }
  add_baselines(report.baselines, json);
  if (report.plain_loop) add_plain_loop(*report.plain_loop, report.median_ms, json);
  // Names of files may be no UTF-8.
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace jackdaw::bench
