#include "bench/mark/bounds_report.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

namespace jackdaw::bench {

namespace {

// Returns the runs with more than one worker.
std::span<const BoundsRuns> several_workers(const Bounds& bounds) {
  return std::span(bounds.runs).subspan(1);
}

// Rounds without a minus before a zero.
std::string rounded_with_sign(double ms) {
  return fmt::format("{:+.3f}", std::round(ms * 1000) / 1000 + 0.0);
}

void format_terms(const Bounds& bounds, std::string& out) {
  fmt::format_to(std::back_inserter(out),
                 "\nbounds of Blumofe and Leiserson (JACM 1999), see docs/command.md\n"
                 "  T1     work: {} tasks, {:.3f} ms with one worker, {:.2f} ns a task (section 2)\n"
                 "  Tinf   span: {} tasks one after another, {:.3f} ms at that pace (section 2)\n"
                 "  T1/Tinf parallelism: {:.2f} workers (section 2)\n"
                 "  S1     space: {} tasks held at once by one worker (section 2)\n",
                 bounds.tasks.work, bounds.one_worker_ms(), bounds.task_ms() * 1e6, bounds.tasks.span,
                 bounds.span_ms(), bounds.parallelism(), bounds.runs.front().most_held_tasks);
}

void format_time(const Bounds& bounds, std::string& out) {
  constexpr const char* kRow = "{:>7} {:>12} {:>12} {:>12} {:>16} {:>12}\n";
  out +=
      "\ntime: T1/P + Tinf bounds greedy schedules (Theorem 1), T1/P + c*Tinf work stealing (Theorem 13)\n";
  fmt::format_to(std::back_inserter(out), fmt::runtime(kRow), "P", "T_P ms", "T1/P ms", "T1/P+Tinf",
                 "T1/P+c*Tinf ms", "off ms");
  for (const BoundsRuns& runs : several_workers(bounds)) {
    const double fitted = bounds.fitted_ms(runs);
    fmt::format_to(std::back_inserter(out), fmt::runtime(kRow), runs.workers,
                   fmt::format("{:.3f}", runs.median_ms), fmt::format("{:.3f}", bounds.share_ms(runs)),
                   fmt::format("{:.3f}", bounds.greedy_ms(runs)), fmt::format("{:.3f}", fitted),
                   rounded_with_sign(runs.median_ms - fitted));
  }
  fmt::format_to(std::back_inserter(out), "c = {:.3f} by least squares over these P, {}\n", bounds.fit->c,
                 bounds.fit->exact ? "exact: a single P leaves nothing to fit"
                                   : fmt::format("residual {:.3f} ms", bounds.fit->residual_ms));
}

void format_steals(const Bounds& bounds, std::string& out) {
  constexpr const char* kRow = "{:>7} {:>12} {:>12} {:>12} {:>14} {:>18}\n";
  out += "\nsteals: attempts against P*Tinf (section 6; Theorem 14 for what they carry)\n";
  fmt::format_to(std::back_inserter(out), fmt::runtime(kRow), "P", "attempts", "steals", "refused", "P*Tinf",
                 "attempts/(P*Tinf)");
  for (const BoundsRuns& runs : several_workers(bounds)) {
    fmt::format_to(std::back_inserter(out), fmt::runtime(kRow), runs.workers, runs.steal_attempts,
                   runs.steals, runs.victims_refused, bounds.workers_by_span(runs),
                   fmt::format("{:.6f}", bounds.attempts_ratio(runs)));
  }
}

void format_space(const Bounds& bounds, std::string& out) {
  constexpr const char* kRow = "{:>7} {:>12} {:>12} {:>14}\n";
  out += "\nspace: every worker's most tasks held, summed, against S1*P (Theorem 5)\n";
  fmt::format_to(std::back_inserter(out), fmt::runtime(kRow), "P", "held tasks", "S1*P tasks", "held/(S1*P)");
  for (const BoundsRuns& runs : several_workers(bounds)) {
    fmt::format_to(std::back_inserter(out), fmt::runtime(kRow), runs.workers, runs.most_held_tasks,
                   bounds.space_bound(runs), fmt::format("{:.3f}", bounds.space_ratio(runs)));
  }
}

nlohmann::ordered_json runs_to_json(const Bounds& bounds, const BoundsRuns& runs) {
  nlohmann::ordered_json json = {{"workers", runs.workers},
                                 {"wall_ms", runs.wall_ms},
                                 {"median_ms", runs.median_ms},
                                 {"share_ms", bounds.share_ms(runs)},
                                 {"greedy_ms", bounds.greedy_ms(runs)}};
  if (bounds.fit) json["fitted_ms"] = bounds.fitted_ms(runs);
  json["steal_attempts"] = runs.steal_attempts;
  json["steals"] = runs.steals;
  json["victims_refused"] = runs.victims_refused;
  json["attempts_ratio"] = bounds.attempts_ratio(runs);
  json["held_tasks"] = runs.most_held_tasks;
  json["space_bound"] = bounds.space_bound(runs);
  json["space_ratio"] = bounds.space_ratio(runs);
  return json;
}

}  // namespace

void format_bounds(const Bounds& bounds, std::string& out) {
  format_terms(bounds, out);
  if (!bounds.fit) return;
  format_time(bounds, out);
  format_steals(bounds, out);
  format_space(bounds, out);
}

nlohmann::ordered_json bounds_to_json(const Bounds& bounds) {
  nlohmann::ordered_json json = {{"work_tasks", bounds.tasks.work},
                                 {"span_tasks", bounds.tasks.span},
                                 {"parallelism", bounds.parallelism()},
                                 {"one_worker_ms", bounds.one_worker_ms()},
                                 {"ns_per_task", bounds.task_ms() * 1e6},
                                 {"span_ms", bounds.span_ms()},
                                 {"one_worker_held_tasks", bounds.runs.front().most_held_tasks},
                                 {"runs", nlohmann::ordered_json::array()}};
  for (const BoundsRuns& runs : bounds.runs) json["runs"].push_back(runs_to_json(bounds, runs));
  if (bounds.fit) {
    json["fit"] = {
        {"c", bounds.fit->c}, {"residual_ms", bounds.fit->residual_ms}, {"exact", bounds.fit->exact}};
  }
  return json;
}

}  // namespace jackdaw::bench
