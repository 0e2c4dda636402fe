#include "tools/log/log_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "tools/log/plot.h"

namespace jackdaw::tools {

namespace {

constexpr std::size_t kMostProcesses = 20;
constexpr std::size_t kPlotWidth = 60;
constexpr std::size_t kPlotLines = 5;

double mib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

const char* name_of(bool concurrent) { return concurrent ? "concurrent" : "stopping"; }

void format_processes(const std::vector<ProcessSummary>& processes, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{:>8} {:>11} {:>8} {:>11} {:>8} {:>10} {:>8} {:>8}\n", "process",
                 "collections", "s", "pauses ms", "% paused", "longest ms", "live MiB", "heap MiB");
  for (std::size_t i = 0; i < std::min(processes.size(), kMostProcesses); ++i) {
    const ProcessSummary& process = processes[i];
    fmt::format_to(std::back_inserter(out),
                   "{:>8} {:>11} {:>8.2f} {:>11.3f} {:>8.1f} {:>10.3f} {:>8.1f} {:>8.1f}\n", process.process,
                   process.collections.size(), (process.end_ms - process.begin_ms) / 1000,
                   process.pauses.total_ms, process.paused_percent, process.pauses.longest_ms,
                   mib(process.collections.back().live_bytes), mib(process.peak_heap_bytes));
  }
  if (processes.size() > kMostProcesses)
    fmt::format_to(std::back_inserter(out), "and {} more\n", processes.size() - kMostProcesses);
  out += '\n';
}

void format_heading(const ProcessSummary& process, std::string& out) {
  const gc::CollectionRecord& last = process.collections.back();
  fmt::format_to(std::back_inserter(out),
                 "process {}: {:.3f} s, {:.1f} % of it in pauses\n"
                 "live: {:.1f} MiB at the end, {:.1f} MiB at most; heap: {:.1f} MiB at most\n",
                 process.process, (process.end_ms - process.begin_ms) / 1000, process.paused_percent,
                 mib(last.live_bytes), mib(process.peak_live_bytes), mib(process.peak_heap_bytes));
  if (process.processor_ms > 0)
    fmt::format_to(std::back_inserter(out), "processor time of the collector: {:.3f} ms\n",
                   process.processor_ms);
  if (last.free_bytes + last.given_back_bytes == 0) return;
  fmt::format_to(std::back_inserter(out),
                 "free blocks at the last line: {:.1f} MiB, and {:.1f} MiB given back\n",
                 mib(last.free_bytes), mib(last.given_back_bytes));
}

void format_kinds(const ProcessSummary& process, std::string& out) {
  fmt::format_to(std::back_inserter(out), "\n{:<10} {:<13} {:>11} {:>13} {:>10}\n", "kind", "reason",
                 "collections", "all pauses ms", "longest ms");
  for (const ProcessSummary::Kind& kind : process.kinds) {
    fmt::format_to(std::back_inserter(out), "{:<10} {:<13} {:>11} {:>13.3f} {:>10.3f}\n",
                   name_of(kind.concurrent), gc::name_of(kind.reason), kind.collections, kind.pauses.total_ms,
                   kind.pauses.longest_ms);
  }
}

void format_pauses(const PauseFigures& pauses, PlotLetters letters, std::string& out) {
  fmt::format_to(std::back_inserter(out), "\n{:<4} {:>10}   of {} pauses\n", "", "ms", pauses.count);
  const std::array<std::pair<const char*, double>, 4> rows = {
      {{"p50", pauses.p50_ms}, {"p90", pauses.p90_ms}, {"p99", pauses.p99_ms}, {"max", pauses.longest_ms}}};
  for (const auto& [name, ms] : rows) {
    const double part = pauses.longest_ms > 0 ? ms / pauses.longest_ms : 0;
    fmt::format_to(std::back_inserter(out), "{:<4} {:>10.3f}   {}\n", name, ms,
                   horizontal_bar(part, kPlotWidth, letters));
  }
}

// Returns, for each interval, what the last collection before its end found live, relative to the maximum.
std::vector<double> live_over_time(const ProcessSummary& process) {
  const double step = (process.end_ms - process.begin_ms) / kPlotWidth;
  std::vector<double> parts;
  auto next = process.collections.begin();
  double part = 0;
  for (std::size_t i = 1; i <= kPlotWidth; ++i) {
    const double until_ms = process.begin_ms + step * static_cast<double>(i);
    for (; next != process.collections.end() &&
           (i == kPlotWidth || next->at <= std::chrono::duration<double, std::milli>(until_ms));
         ++next)
      part = mib(next->live_bytes) / std::max(mib(process.peak_live_bytes), 1e-3);
    parts.push_back(part);
  }
  return parts;
}

void format_live(const ProcessSummary& process, PlotLetters letters, std::string& out) {
  fmt::format_to(std::back_inserter(out), "\nMiB live, over {:.3f} s\n",
                 (process.end_ms - process.begin_ms) / 1000);
  const std::vector<std::string> lines = vertical_bars(live_over_time(process), kPlotLines, letters);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string label = i == 0                  ? fmt::format("{:.1f}", mib(process.peak_live_bytes))
                              : i + 1 == lines.size() ? "0"
                                                      : "";
    fmt::format_to(std::back_inserter(out), "{:>16} {}{}\n", label, letters == PlotLetters::utf8 ? "│" : "|",
                   lines[i]);
  }
}

void format_advice(const ProcessSummary& process, const ProgramMachine& machine, std::string& out) {
  const std::vector<Advice> advice = advise(process, machine);
  if (advice.empty()) {
    fmt::format_to(std::back_inserter(out), "\nno advice: {}\n", why_no_advice(process, machine));
    return;
  }
  out += "\nto be tried\n";
  for (const Advice& one : advice)
    fmt::format_to(std::back_inserter(out), "{}: {}\n", one.setting, one.reason);
}

nlohmann::ordered_json process_to_json(const ProcessSummary& process, const ProgramMachine& machine) {
  const auto figures = [](const PauseFigures& pauses) {
    return nlohmann::ordered_json{{"count", pauses.count},   {"total_ms", pauses.total_ms},
                                  {"p50_ms", pauses.p50_ms}, {"p90_ms", pauses.p90_ms},
                                  {"p99_ms", pauses.p99_ms}, {"max_ms", pauses.longest_ms}};
  };
  nlohmann::ordered_json json = {{"pid", process.process},
                                 {"collections", process.collections.size()},
                                 {"begin_ms", process.begin_ms},
                                 {"end_ms", process.end_ms},
                                 {"paused_percent", process.paused_percent},
                                 {"processor_ms", process.processor_ms},
                                 {"pauses", figures(process.pauses)},
                                 {"live_bytes", process.collections.back().live_bytes},
                                 {"peak_live_bytes", process.peak_live_bytes},
                                 {"peak_heap_bytes", process.peak_heap_bytes},
                                 {"heap_bytes", process.collections.back().heap_bytes},
                                 {"free_bytes", process.collections.back().free_bytes},
                                 {"given_back_bytes", process.collections.back().given_back_bytes},
                                 {"kinds", nlohmann::ordered_json::array()},
                                 {"advice", nlohmann::ordered_json::array()}};
  for (const ProcessSummary::Kind& kind : process.kinds) {
    json["kinds"].push_back({{"kind", name_of(kind.concurrent)},
                             {"reason", gc::name_of(kind.reason)},
                             {"collections", kind.collections},
                             {"pauses", figures(kind.pauses)}});
  }
  const std::vector<Advice> advice = advise(process, machine);
  for (const Advice& one : advice)
    json["advice"].push_back({{"setting", one.setting}, {"reason", one.reason}});
  if (advice.empty()) json["no_advice"] = why_no_advice(process, machine);
  return json;
}

}  // namespace

std::string format_log(const std::vector<ProcessSummary>& processes, const ProgramMachine& machine,
                       PlotLetters letters) {
  std::string out;
  if (processes.size() > 1) format_processes(processes, out);
  const ProcessSummary& process = processes.front();
  format_heading(process, out);
  format_kinds(process, out);
  format_pauses(process.pauses, letters, out);
  format_live(process, letters, out);
  format_advice(process, machine, out);
  return out;
}

std::string log_to_json(const std::vector<ProcessSummary>& processes, const ProgramMachine& machine) {
  nlohmann::ordered_json json = {{"processes", nlohmann::ordered_json::array()}};
  for (const ProcessSummary& process : processes)
    json["processes"].push_back(process_to_json(process, machine));
  return json.dump(2) + "\n";
}

}  // namespace jackdaw::tools
