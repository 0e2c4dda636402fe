#include "bench/mark/mark_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include "bench/baseline/result_report.h"
#include "bench/mark/bounds_report.h"
#include "bench/mark/plain_loop_report.h"
#include "tools/command/named_values.h"
#include "tools/command/printable_name.h"
#include "tools/command/provenance.h"

namespace jackdaw::bench {

namespace {

double idle_ms(const mark::WorkerStatistics& worker) {
  return std::chrono::duration<double, std::milli>(worker.idle).count();
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string human_bytes(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, unit == 0 ? 0 : 1, kUnits[unit]);
}

void format_heading(const MarkReport& report, std::string& out) {
  const double share =
      100.0 * static_cast<double>(report.marking_memory_bytes) / static_cast<double>(report.heap_bytes);
  fmt::format_to(std::back_inserter(out),
                 "{}: {} objects, {} marked, {} references; heap {}, marks and queues {} ({:.2f} %)\n"
                 "{} mark thread{}, queue {}, victim {}{}; our objects {}\n\n",
                 tools::printable(report.graph), report.objects, report.median.objects_marked,
                 report.median.references, human_bytes(report.heap_bytes),
                 human_bytes(report.marking_memory_bytes), share, report.threads,
                 report.threads == 1 ? "" : "s", report.parts.queue, report.parts.victim,
                 !report.verified       ? ""
                 : report.all_correct() ? ", verified"
                                        : ", NOT CORRECT",
                 to_string(OurObjects::typed));
}

// The columns of a table of runs.
struct RunColumns {
  bool ours;
  std::span<const BaselineResult> baselines;
};

// `baseline_ms` returns a baseline's time in the run.
template <typename TimeOf>
void format_run(const RunColumns& columns, const std::string& name, const RunFigures& figures,
                TimeOf baseline_ms, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{:>7}", name);
  if (columns.ours)
    fmt::format_to(std::back_inserter(out), " {:>12.3f} {:>12.3f} {:>12.2f} {:>10.6f}", figures.wall_ms,
                   figures.collect_ms, figures.ns_per_object, figures.steal_percent);
  for (const BaselineResult& baseline : columns.baselines)
    format_baseline_time(baseline, figures.time_of(baseline.phase), baseline_ms(baseline), out);
  out += '\n';
}

void format_runs(const MarkReport& report, const RunColumns& columns, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{:>7}", "run");
  if (columns.ours)
    fmt::format_to(std::back_inserter(out), " {:>12} {:>12} {:>12} {:>10}", "mark ms", "collect ms",
                   "ns/object", "stolen %");
  format_baseline_headings(columns.baselines, out);
  out += '\n';
  const std::size_t shown = std::min(report.runs.size(), kRunsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    format_run(
        columns, std::to_string(i + 1), report.runs[i].figures,
        [i](const BaselineResult& baseline) { return baseline.wall_ms[i]; }, out);
  }
  if (shown < report.runs.size()) {
    fmt::format_to(std::back_inserter(out), "{:>7} and {} more\n", "...", report.runs.size() - shown);
  }
  format_run(
      columns, "median", report.median, [](const BaselineResult& baseline) { return baseline.median_ms; },
      out);
}

// A line has room for ours and one baseline, or for two of them.
void format_all_runs(const MarkReport& report, std::string& out) {
  constexpr std::size_t kBaselinesALine = 2;
  std::span<const BaselineResult> baselines = report.baselines;
  std::size_t in_line = std::min<std::size_t>(1, baselines.size());
  format_runs(report, {true, baselines.first(in_line)}, out);
  for (baselines = baselines.subspan(in_line); !baselines.empty(); baselines = baselines.subspan(in_line)) {
    in_line = std::min(kBaselinesALine, baselines.size());
    out += '\n';
    format_runs(report, {false, baselines.first(in_line)}, out);
  }
}

const Run& run_nearest_median(const MarkReport& report) {
  const auto distance = [&](const Run& run) { return std::abs(run.figures.wall_ms - report.median.wall_ms); };
  return *std::min_element(report.runs.begin(), report.runs.end(),
                           [&](const Run& a, const Run& b) { return distance(a) < distance(b); });
}

void format_workers(const MarkReport& report, std::string& out) {
  constexpr const char* kRow = "{:>6} {:>11} {:>11} {:>11} {:>9} {:>8} {:>9}\n";
  fmt::format_to(std::back_inserter(out), "\nworkers of the run nearest the median\n");
  fmt::format_to(std::back_inserter(out), fmt::runtime(kRow), "worker", "tasks", "objects", "references",
                 "overflow", "peak", "idle ms");
  const std::vector<mark::WorkerStatistics>& workers = run_nearest_median(report).workers;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const mark::WorkerStatistics& worker = workers[i];
    fmt::format_to(std::back_inserter(out), fmt::runtime(kRow), i, worker.tasks_executed,
                   worker.objects_marked, worker.references_visited, worker.overflow_pushes,
                   worker.overflow_peak, fmt::format("{:.3f}", idle_ms(worker)));
  }
}

void format_steals(const MarkReport& report, std::string& out) {
  constexpr const char* kRow = "{:>6} {:>8} {:>7} {:>6} {:>7} {:>8} {:>9} {:>6} {:>6} {:>8}\n";
  fmt::format_to(std::back_inserter(out), "\ntheir steals\n");
  fmt::format_to(std::back_inserter(out), fmt::runtime(kRow), "worker", "attempts", "steals", "remote",
                 "stolen", "empty", "contended", "streak", "grants", "takeover");
  const std::vector<mark::WorkerStatistics>& workers = run_nearest_median(report).workers;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const mark::WorkerStatistics& worker = workers[i];
    fmt::format_to(std::back_inserter(out), fmt::runtime(kRow), i, worker.steal_attempts, worker.steals,
                   worker.steals_remote(), worker.tasks_stolen, worker.steals_empty, worker.steals_contended,
                   worker.longest_contended_streak, worker.grants, worker.takeovers);
  }
}

// Prints the share of tasks that had no room in the queues, where thieves reach them.
void format_overflow(const MarkReport& report, std::string& out) {
  const mark::WorkerStatistics sum = mark::total(run_nearest_median(report).workers);
  if (sum.overflow_pushes == 0) return;
  fmt::format_to(std::back_inserter(out),
                 "overflow          {:.1f} % of the pushes went to an overflow list\n",
                 100.0 * static_cast<double>(sum.overflow_pushes) / static_cast<double>(sum.pushes));
}

// Prints how near work and memory were to one another, on a machine with several memory nodes.
void format_nodes(const MarkReport& report, std::string& out) {
  if (report.heap_bytes_by_node.size() < 2) return;
  const mark::WorkerStatistics sum = mark::total(run_nearest_median(report).workers);
  fmt::format_to(std::back_inserter(out), "remote: {} of {} visits ({:.2f} %), {} of {} steals ({:.2f} %)\n",
                 sum.visits_remote, sum.tasks_executed, percent(sum.visits_remote, sum.tasks_executed),
                 sum.steals_remote(), sum.steals, percent(sum.steals_remote(), sum.steals));
  out += "heap on memory nodes:";
  for (std::size_t node = 0; node < report.heap_bytes_by_node.size(); ++node)
    fmt::format_to(std::back_inserter(out), " {}: {}", node, human_bytes(report.heap_bytes_by_node[node]));
  out += '\n';
}

void format_conclusion(const MarkReport& report, std::string& out) {
  fmt::format_to(std::back_inserter(out), "\nsteal percentage: {:.6f} %\n", report.median.steal_percent);
  format_nodes(report, out);
  format_ratios(report.baselines, OurObjects::typed, out);
  if (report.limit) {
    fmt::format_to(std::back_inserter(out),
                   "ratio to reading memory: {:.3f} ({} cache lines of {}, {}, {:.3f} ms; medians)\n",
                   report.ratio_to_limit(), report.limit->lines, human_bytes(report.limit->bytes),
                   report.limit->order == ReadOrder::random ? "in random order" : "in a stream",
                   report.limit->median_ms);
  }
  if (report.plain_loop) format_plain_loop(*report.plain_loop, report.median.wall_ms, out);
}

nlohmann::ordered_json figures_to_json(const RunFigures& figures) {
  return {{"wall_ms", figures.wall_ms},
          {"collect_ms", figures.collect_ms},
          {"objects_marked", figures.objects_marked},
          {"references", figures.references},
          {"ns_per_object", figures.ns_per_object},
          {"steal_percent", figures.steal_percent}};
}

nlohmann::ordered_json worker_to_json(const mark::WorkerStatistics& worker) {
  return {{"tasks_executed", worker.tasks_executed},
          {"objects_marked", worker.objects_marked},
          {"references_visited", worker.references_visited},
          {"references_deferred", worker.references_deferred},
          {"pushes", worker.pushes},
          {"direct", worker.direct},
          {"pops", worker.pops},
          {"steal_attempts", worker.steal_attempts},
          {"steals", worker.steals},
          {"steals_local", worker.steals_by_distance[0]},
          {"steals_remote", worker.steals_remote()},
          {"steals_by_distance", worker.steals_by_distance},
          {"tasks_stolen", worker.tasks_stolen},
          {"empty", worker.steals_empty},
          {"contended", worker.steals_contended},
          {"longest_contended_streak", worker.longest_contended_streak},
          {"victims_refused", worker.victims_refused},
          {"overflow_pushes", worker.overflow_pushes},
          {"overflow_peak", worker.overflow_peak},
          {"visits_remote", worker.visits_remote},
          {"grants", worker.grants},
          {"takeovers", worker.takeovers},
          {"idle_time_ms", idle_ms(worker)}};
}

nlohmann::ordered_json run_to_json(const Run& run) {
  nlohmann::ordered_json json = figures_to_json(run.figures);
  json["workers"] = nlohmann::ordered_json::array();
  for (const mark::WorkerStatistics& worker : run.workers) {
    const auto row = std::span(run.steals_by_victim).subspan(json["workers"].size() * run.workers.size());
    json["workers"].push_back(worker_to_json(worker));
    json["workers"].back()["steals_by_victim"] = row.first(run.workers.size());
  }
  return json;
}

constexpr tools::NamedValues<mark::Activity, 4> kActivities{{{"work", mark::Activity::work},
                                                             {"steal", mark::Activity::steal},
                                                             {"idle", mark::Activity::idle},
                                                             {"sleep", mark::Activity::sleep}}};

nlohmann::ordered_json time_line_to_json(const RunTimeLine& run) {
  const auto ms = [](auto time) { return std::chrono::duration<double, std::milli>(time).count(); };
  nlohmann::ordered_json json = {
      {"wall_ms", ms(run.length)}, {"dropped", run.dropped}, {"workers", nlohmann::ordered_json::array()}};
  for (const std::vector<mark::WorkerSpan>& spans : run.workers) {
    nlohmann::ordered_json& worker = json["workers"].emplace_back(nlohmann::ordered_json::array());
    for (const mark::WorkerSpan& span : spans) {
      worker.push_back({{"activity", tools::name_of(kActivities, span.activity)},
                        {"start_ms", ms(span.start - run.start)},
                        {"end_ms", ms(span.end - run.start)}});
      if (span.activity != mark::Activity::steal) continue;
      worker.back()["victim"] = span.victim;
      worker.back()["tasks"] = span.tasks;
    }
  }
  return json;
}

}  // namespace

std::string format_tables(const MarkReport& report) {
  std::string out;
  format_heading(report, out);
  format_all_runs(report, out);
  format_workers(report, out);
  format_steals(report, out);
  format_overflow(report, out);
  format_conclusion(report, out);
  if (report.bounds) format_bounds(*report.bounds, out);
  return out;
}

std::string to_json(const MarkReport& report) {
  const mark::MarkerOptions& engine = report.marking.engine;
  nlohmann::ordered_json json = {{"made", tools::provenance()},
                                 {"graph", report.graph},
                                 {"interface", "typed"},
                                 {"our_objects", to_string(OurObjects::typed)},
                                 {"objects", report.objects},
                                 {"heap_bytes", report.heap_bytes},
                                 {"heap_bytes_by_node", report.heap_bytes_by_node},
                                 {"marking_memory_bytes", report.marking_memory_bytes},
                                 {"threads", report.threads},
                                 {"queue", report.parts.queue},
                                 {"victim", report.parts.victim},
                                 {"grant", tools::name_of(kGrants, engine.tuning.grant)},
                                 {"steal_batch", engine.tuning.steal_batch},
                                 {"serial", engine.tuning.serial_references},
                                 {"runs", nlohmann::ordered_json::array()}};
  for (const Run& run : report.runs) json["runs"].push_back(run_to_json(run));
  json["median"] = figures_to_json(report.median);
  if (report.verified) json["verified"] = report.all_correct();
  add_baselines(report.baselines, json);
  if (report.limit) {
    json["limit"] = {{"order", tools::name_of(kReadOrders, report.limit->order)},
                     {"lines", report.limit->lines},
                     {"bytes", report.limit->bytes},
                     {"wall_ms", report.limit->wall_ms},
                     {"median_ms", report.limit->median_ms}};
    json["ratio_to_limit"] = report.ratio_to_limit();
  }
  if (report.plain_loop) add_plain_loop(*report.plain_loop, report.median.wall_ms, json);
  if (report.bounds) json["bounds"] = bounds_to_json(*report.bounds);
  if (report.time_line) json["time_line"] = time_line_to_json(*report.time_line);
  // Names of files may be no UTF-8.
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace jackdaw::bench
