#include "bench/queue/queue_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "bench/queue/queue_calibration.h"
#include "tools/command/provenance.h"

namespace jackdaw::bench {

namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json number_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const QueueResult& result) {
  const bool has_pace = result.experiment == QueueExperiment::thief;
  return {{"experiment", name_of(result.experiment)},
          {"queue", result.queue},
          {"victim", result.victim.empty() ? Json(nullptr) : Json(result.victim)},
          {"threads", result.threads},
          {"steal_percent_wanted", number_or_null(result.steal_percent_wanted)},
          {"steal_percent", result.counts.steal_percent()},
          {"balancing_factor", number_or_null(result.balancing_factor)},
          {"ns_per_op", result.ns_per_op},
          {"ops_per_second", result.ops_per_second()},
          {"ratio_to_sequential", result.ratio_to_sequential},
          {"puts", result.counts.puts},
          {"gets", result.counts.gets},
          {"steals", result.counts.steals},
          {"steals_empty", result.counts.steals_empty},
          {"steals_contended", result.counts.steals_contended},
          {"left", result.counts.left},
          {"gets_per_round", has_pace ? Json(result.pace.gets_per_round) : Json(nullptr)},
          {"conserved", result.conserved},
          {"runs", result.runs}};
}

std::string csv_cell(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// Calls `cell(key, value)` for every cell.
template <typename Cell>
std::string csv_line(const Json& result, Cell cell) {
  std::string line;
  for (const auto& [key, value] : result.items()) {
    if (!value.is_array()) {
      line += cell(key, value) + ",";
      continue;
    }
    for (std::size_t i = 0; i < value.size(); ++i) line += cell(fmt::format("run_{}", i + 1), value[i]) + ",";
  }
  line.back() = '\n';
  return line;
}

void format_heading(const QueueReport& report, std::string& out) {
  const QueueExperimentOptions& options = report.options;
  std::string who = "one owner";
  if (options.experiment == QueueExperiment::thief) who = "one owner and one thief";
  if (options.experiment == QueueExperiment::pool)
    who = fmt::format("{} workers", report.results.back().threads);
  if (options.experiment != QueueExperiment::single)
    who +=
        fmt::format(", {} task{} a steal", options.steal_batch, options.steal_batch == 1 ? "" : "s at most");
  fmt::format_to(std::back_inserter(out),
                 "{}: {}; {} x {} tasks a queue; medians of {} interleaved pass{} of {} s\n"
                 "ratio: to the sequential queue; spread: from the least pass to the greatest\n\n",
                 name_of(options.experiment), who, options.shape.blocks, options.shape.block_size,
                 options.repeat, options.repeat == 1 ? "" : "es", options.seconds);
}

// Returns a cell for a number that not every result has.
std::string cell_or_blank(const std::optional<double>& value) {
  return value ? fmt::format("{:g}", *value) : "-";
}

// These return the headings of the columns between names and figures, and their cells.
std::string setting_header(QueueExperiment experiment) {
  if (experiment == QueueExperiment::thief) return fmt::format(" {:>8} {:>8}", "wanted %", "stolen %");
  if (experiment == QueueExperiment::pool)
    return fmt::format(" {:<12} {:>8} {:>8}", "victim", "factor %", "stolen %");
  return "";
}

std::string setting_cells(QueueExperiment experiment, const QueueResult& result) {
  const double stolen = result.counts.steal_percent();
  if (experiment == QueueExperiment::thief)
    return fmt::format(" {:>8} {:>8.3f}", cell_or_blank(result.steal_percent_wanted), stolen);
  if (experiment == QueueExperiment::pool) {
    return fmt::format(" {:<12} {:>8} {:>8.3f}", result.victim.empty() ? "-" : result.victim,
                       cell_or_blank(result.balancing_factor), stolen);
  }
  return "";
}

// Returns warnings, which follow a row.
std::string remarks_on(const QueueResult& result) {
  std::string remarks;
  if (result.steal_percent_wanted && !is_reached(*result.steal_percent_wanted, result.counts.steal_percent()))
    remarks += "  NOT REACHED";
  if (!result.conserved) remarks += "  NOT CORRECT";
  return remarks;
}

// Returns a number for a column, with fewer decimals where it would be wider than that.
std::string figure(double value, std::size_t width, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  while (text.size() > width && decimals > 0) text = fmt::format("{:.{}f}", value, --decimals);
  return fmt::format("{:>{}}", text, width);
}

double spread_percent(const QueueResult& result) {
  const auto [least, most] = std::ranges::minmax(result.runs);
  return 100 * (most - least) / result.ns_per_op;
}

}  // namespace

std::string format_table(const QueueReport& report) {
  const QueueExperiment experiment = report.options.experiment;
  std::string out;
  format_heading(report, out);
  fmt::format_to(std::back_inserter(out), "{:<16}{} {:>8} {:>6} {:>6} {:>8}\n", "queue",
                 setting_header(experiment), "ns/op", "Mop/s", "ratio", "spread %");
  for (const QueueResult& result : report.results) {
    fmt::format_to(std::back_inserter(out), "{:<16}{} {} {} {} {}{}\n", result.queue,
                   setting_cells(experiment, result), figure(result.ns_per_op, 8, 3),
                   figure(result.ops_per_second() / 1e6, 6, 1), figure(result.ratio_to_sequential, 6, 2),
                   figure(spread_percent(result), 8, 1), remarks_on(result));
  }
  return out;
}

std::string to_json(const QueueReport& report) {
  const QueueExperimentOptions& options = report.options;
  Json json = {{"made", tools::provenance()},
               {"experiment", name_of(options.experiment)},
               {"blocks", options.shape.blocks},
               {"block_size", options.shape.block_size},
               {"capacity", options.shape.capacity()},
               {"steal_batch", options.steal_batch},
               {"repeat", options.repeat},
               {"seconds", options.seconds},
               {"seed", options.seed},
               {"results", Json::array()}};
  for (const QueueResult& result : report.results) json["results"].push_back(to_json(result));
  return json.dump(2) + "\n";
}

std::string to_csv(const QueueReport& report) {
  const auto key = [](const std::string& name, const Json&) { return name; };
  const auto value = [](const std::string&, const Json& cell) { return csv_cell(cell); };
  std::string text = csv_line(to_json(report.results.front()), key);
  for (const QueueResult& result : report.results) text += csv_line(to_json(result), value);
  return text;
}

}  // namespace jackdaw::bench
