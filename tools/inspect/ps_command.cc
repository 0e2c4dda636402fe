#include "tools/inspect/ps_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "tools/command/input_error.h"
#include "tools/command/output_file.h"
#include "tools/command/printable_name.h"
#include "tools/command/terminal.h"
#include "tools/inspect/inspector.h"
#include "tools/inspect/running_process.h"

namespace jackdaw::tools {

namespace {

using Page = gc::InspectionPage;

// A program and its answer; without one, why there is none.
struct Row {
  RunningProcess process;
  std::optional<Page> figures;
  std::string obstacle;
};

// A process that is stopped, or whose threads all block the signal, does not answer.
constexpr std::chrono::milliseconds kPatience{500};

// A process that collects does not know all figures just then.
constexpr int kMostTimes = 5;

Row ask(const RunningProcess& process) {
  try {
    Row row{process, std::nullopt, "does not answer"};
    for (int times = 0; times < kMostTimes && (!row.figures || row.figures->processor_ns == 0); ++times) {
      Inspector inspector(process, {.wish = Page::Wish::figures});
      if (!inspector.await_answer(kPatience)) break;
      row.figures = inspector.page();
    }
    return row;
  } catch (const InputError&) {
    const std::string reason = process.obstacle.empty() ? "cannot be asked" : process.obstacle;
    return {process, std::nullopt, reason};
  }
}

// Throws InputError where a process is not on Jackdaw.
std::vector<RunningProcess> named(const std::vector<pid_t>& numbers) {
  std::vector<RunningProcess> processes;
  for (const pid_t number : numbers) {
    processes.push_back(look_at(number));
    if (!processes.back().is_on_jackdaw) throw InputError(why_not_on_jackdaw(number));
  }
  return processes;
}

double mib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }
double ms(std::uint64_t ns) { return static_cast<double>(ns) / 1e6; }

std::string format_processes(const std::vector<RunningProcess>& processes) {
  std::string out = fmt::format("{:>8} {:>12}  {}\n", "process", "resident MiB", "command");
  for (const RunningProcess& process : processes) {
    fmt::format_to(std::back_inserter(out), "{:>8} {:>12.1f}  {}\n", process.number,
                   mib(process.resident_bytes), printable(process.command));
  }
  return out;
}

std::string format_rows(const std::vector<Row>& rows) {
  std::string out =
      fmt::format("{:>8} {:>9} {:>9} {:>11} {:>10} {:>10} {:>12}  {}\n", "process", "heap MiB", "live MiB",
                  "collections", "longest ms", "pauses ms", "processor ms", "command");
  for (const Row& row : rows) {
    const std::string command = printable(row.process.command);
    if (!row.figures) {
      fmt::format_to(std::back_inserter(out), "{:>8} {:>9} {:>9} {:>11} {:>10} {:>10} {:>12}  {} ({})\n",
                     row.process.number, "-", "-", "-", "-", "-", "-", command, row.obstacle);
      continue;
    }
    const Page& figures = *row.figures;
    fmt::format_to(std::back_inserter(out), "{:>8} {:>9.1f} {:>9.1f} {:>11} {:>10.3f} {:>10.3f} {:>12}  {}\n",
                   row.process.number, mib(figures.heap_bytes), mib(figures.live_bytes), figures.collections,
                   ms(figures.longest_pause_ns), ms(figures.all_pauses_ns),
                   figures.processor_ns == 0 ? "-" : fmt::format("{:.3f}", ms(figures.processor_ns)),
                   command);
  }
  return out;
}

std::string rows_to_json(const std::vector<Row>& rows) {
  nlohmann::ordered_json json = {{"processes", nlohmann::ordered_json::array()}};
  for (const Row& row : rows) {
    nlohmann::ordered_json process = {{"pid", row.process.number},
                                      {"command", row.process.command},
                                      {"resident_bytes", row.process.resident_bytes}};
    if (row.figures) {
      process.update({{"heap_bytes", row.figures->heap_bytes},
                      {"live_bytes", row.figures->live_bytes},
                      {"collections", row.figures->collections},
                      {"longest_pause_ms", ms(row.figures->longest_pause_ns)},
                      {"pauses_ms", ms(row.figures->all_pauses_ns)},
                      {"processor_ms", ms(row.figures->processor_ns)}});
    } else if (!row.obstacle.empty()) {
      process["no_figures"] = row.obstacle;
    }
    json["processes"].push_back(process);
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

PsCommand::PsCommand(CLI::App& app)
    : Command(app, "ps", "List the running programs that use Jackdaw, with their heaps and pauses") {
  command_->footer(
      "Examples:\n"
      "  jackdaw ps\n"
      "  jackdaw ps --figures 4321\n"
      "\nLists this user's programs, for root those of all. --figures sends each a signal (SIGURG), "
      "which its collector\nhandles; a wait of the program's, as in sleep or poll, may end early by it.\n"
      "Exit status: 0; 2 when the input is bad.\n");
  command_->add_option("PID", numbers_, "List these processes alone")->check(CLI::Range(1, 1 << 22));
  command_->add_flag("--figures", asks_, "Ask each for its heap, collections and pauses");
  command_->add_option("--json", json_path_, "Write the results to this file, too")->type_name("FILE");
}

int PsCommand::run() {
  std::optional<OutputFile> json;
  if (!json_path_.empty()) json.emplace("--json", json_path_);
  std::vector<RunningProcess> processes = numbers_.empty() ? processes_on_jackdaw() : named(numbers_);
  std::erase_if(processes, [](const RunningProcess& process) {
    return process.number == getpid() || (geteuid() != 0 && process.user != geteuid());
  });
  std::vector<Row> rows;
  rows.reserve(processes.size());
  for (const RunningProcess& process : processes)
    rows.push_back(asks_ ? ask(process) : Row{process, std::nullopt, ""});
  if (json) json->commit(rows_to_json(rows));
  fmt::print("{}", Terminal::of_output().fit(asks_ ? format_rows(rows) : format_processes(processes)));
  return 0;
}

}  // namespace jackdaw::tools
