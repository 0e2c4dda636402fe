#include "bench/simulate/simulate_report.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "tools/command/printable_name.h"
#include "tools/command/provenance.h"

namespace jackdaw::bench {

namespace {

std::string format_costs(const SimulateReport& report) {
  std::string out = "costs, ns\n";
  for (std::size_t i = 0; i < kMachineCosts.size(); ++i) {
    const CostName& cost = kMachineCosts[i];
    fmt::format_to(std::back_inserter(out), "  {:<11} {:>8.1f}  {}{}\n", cost.name, report.machine.*cost.cost,
                   cost.help, report.options.given[i] ? "; given" : "");
  }
  for (const auto& [queue, costs] : report.queue_costs) {
    fmt::format_to(std::back_inserter(out),
                   "  {:<11} {:>8.1f}  a push and a pop; a steal {:.1f}, one that is lost {:.1f}\n", queue,
                   costs.push_pop, costs.steal, costs.contended_steal);
  }
  const VisitCosts& visits = report.visits;
  const auto add = [&](std::string_view name, double cost, std::string_view help) {
    fmt::format_to(std::back_inserter(out), "  {:<11} {:>8.1f}  {}\n", name, cost, help);
  };
  add("visit", visits.task, "and as much for each reference");
  add("beside", visits.beside, "what a reference takes more beside others than alone");
  add("beside-far", visits.beside_far, "the same where marks are far");
  add("locked-mark", visits.locked_mark, "what setting a mark takes more by a locked operation");
  add("sample", visits.sample, "until a mark has come that nobody else has set");
  add("clear", visits.before, "clearing the marks, before");
  return out;
}

std::string format_series(const SimulatedSeries& series) {
  std::string out = fmt::format("{}, {}\n", series.queue, series.victim);
  for (const Prediction& prediction : series.predictions) {
    const SimulationResult& result = prediction.result;
    fmt::format_to(
        std::back_inserter(out), "{:>7} {:>10.3f} {:>8.2f} {:>10.3f} {:>9.4f} {:>8.2f} {:>9} {:>8.3f}\n",
        prediction.workers, prediction.ms(), prediction.speed_up, prediction.efficiency(),
        result.steal_percent(), result.remote_percent(), result.steals_contended, result.termination / 1e6);
  }
  return out;
}

std::string format_stops(const SimulateReport& report) {
  std::string out = fmt::format(
      "stops scaling after (a doubling takes less than {:.0f} % of the time away)\n", 100 * kWorthADoubling);
  for (const SimulatedSeries& series : report.series) {
    fmt::format_to(std::back_inserter(out), "{:<10} {:<12} {:>7} workers\n", series.queue, series.victim,
                   series.stops_at);
  }
  return out;
}

std::string format_validation(const SimulateReport& report) {
  std::string out = fmt::format(
      "beside real runs, the least of {}\n{:<10} {:<12} {:>7} {:>11} {:>12} {:>8}\n", report.options.repeat,
      "queue", "victim", "threads", "measured ms", "predicted ms", "error %");
  for (const Validation& validation : report.validations) {
    fmt::format_to(std::back_inserter(out), "{:<10} {:<12} {:>7} {:>11.3f} {:>12.3f} {:>+8.1f}\n",
                   validation.queue, validation.victim, validation.threads, validation.measured_ms,
                   validation.predicted_ms, validation.error_percent());
  }
  return out;
}

nlohmann::ordered_json costs_to_json(const SimulateReport& report) {
  nlohmann::ordered_json json;
  for (const CostName& cost : kMachineCosts) json[std::string(cost.name)] = report.machine.*cost.cost;
  for (const auto& [queue, costs] : report.queue_costs) {
    json["queues"].push_back({{"queue", queue},
                              {"push_pop", costs.push_pop},
                              {"steal", costs.steal},
                              {"contended_steal", costs.contended_steal}});
  }
  json["task"] = report.visits.task;
  json["reference"] = report.visits.reference;
  json["beside"] = report.visits.beside;
  json["beside_far"] = report.visits.beside_far;
  json["locked_mark"] = report.visits.locked_mark;
  json["sample"] = report.visits.sample;
  json["clear"] = report.visits.before;
  return json;
}

nlohmann::ordered_json series_to_json(const SimulatedSeries& series) {
  nlohmann::ordered_json json = {{"queue", series.queue},
                                 {"victim", series.victim},
                                 {"stops_at", series.stops_at},
                                 {"predictions", nlohmann::ordered_json::array()}};
  for (const Prediction& prediction : series.predictions) {
    const SimulationResult& result = prediction.result;
    json["predictions"].push_back({{"workers", prediction.workers},
                                   {"ms", prediction.ms()},
                                   {"speed_up", prediction.speed_up},
                                   {"efficiency", prediction.efficiency()},
                                   {"steal_percent", result.steal_percent()},
                                   {"remote_percent", result.remote_percent()},
                                   {"tasks", result.tasks},
                                   {"steal_attempts", result.steal_attempts},
                                   {"steals", result.steals},
                                   {"steals_remote", result.steals_remote},
                                   {"steals_contended", result.steals_contended},
                                   {"tasks_stolen", result.tasks_stolen},
                                   {"helpers", result.helpers},
                                   {"idle_ms", result.idle / 1e6},
                                   {"termination_ms", result.termination / 1e6}});
  }
  return json;
}

nlohmann::ordered_json validation_to_json(const Validation& validation) {
  return {{"queue", validation.queue},
          {"victim", validation.victim},
          {"threads", validation.threads},
          {"wall_ms", validation.wall_ms},
          {"measured_ms", validation.measured_ms},
          {"predicted_ms", validation.predicted_ms},
          {"error_percent", validation.error_percent()},
          {"measured_steal_percent", validation.measured_steal_percent},
          {"predicted_steal_percent", validation.predicted_steal_percent}};
}

}  // namespace

std::string format_simulation(const SimulateReport& report) {
  std::string out = fmt::format(
      "{}: {} tasks, {} references, span {} tasks; {:.3f} ms with one thread, measured\n\n{}\n"
      "simulated, {} memory node{}\n"
      "{:>7} {:>10} {:>8} {:>10} {:>9} {:>8} {:>9} {:>8}\n",
      tools::printable(report.options.graph), report.tasks, report.references, report.span,
      report.one_worker_ms, format_costs(report), report.options.nodes, report.options.nodes == 1 ? "" : "s",
      "workers", "ms", "speed-up", "efficiency", "stolen %", "remote %", "contended", "end ms");
  for (const SimulatedSeries& series : report.series) out += format_series(series);
  out += "\n" + format_stops(report);
  if (!report.validations.empty()) out += "\n" + format_validation(report);
  return out;
}

std::string simulation_to_json(const SimulateReport& report) {
  nlohmann::ordered_json json = {
      {"made", tools::provenance()},    {"graph", report.options.graph},
      {"nodes", report.options.nodes},  {"steal_batch", report.options.steal_batch},
      {"seed", report.options.seed},    {"repeat", report.options.repeat},
      {"tasks", report.tasks},          {"references", report.references},
      {"span_tasks", report.span},      {"one_worker_ms", report.one_worker_ms},
      {"costs", costs_to_json(report)}, {"series", nlohmann::ordered_json::array()}};
  for (const SimulatedSeries& series : report.series) json["series"].push_back(series_to_json(series));
  for (const Validation& validation : report.validations)
    json["validation"].push_back(validation_to_json(validation));
  // Names of files may be no UTF-8.
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace jackdaw::bench
