#include "tools/log/log_command.h"

#include <fmt/format.h>

#include <optional>

#include "gc/process/concurrent/write_tracking.h"
#include "machine/usable_processors.h"
#include "tools/command/output_file.h"
#include "tools/command/terminal.h"
#include "tools/log/advice.h"
#include "tools/log/log_line.h"
#include "tools/log/log_report.h"
#include "tools/log/process_summary.h"

namespace jackdaw::tools {

LogCommand::LogCommand(CLI::App& app) : Command(app, "log", "Sum up a program's collection log") {
  command_->footer(
      "Examples:\n"
      "  jackdaw run --log gc.log guile script.scm; jackdaw log gc.log\n"
      "  grep pid=4321 gc.log | jackdaw log /dev/stdin\n"
      "\nExit status: 0; 2 when the input is bad.\n");
  command_->add_option("FILE", log_path_, "The log, as JACKDAW_LOG=1 or json writes it")->required();
  command_->add_option("--json", json_path_, "Write the results to this file, too")->type_name("FILE");
}

int LogCommand::run() {
  std::optional<OutputFile> json;
  if (!json_path_.empty()) json.emplace("--json", json_path_);
  const std::vector<ProcessSummary> processes = summarise_processes(read_log(log_path_));
  const ProgramMachine machine{.processors = machine::usable_processors(),
                               .tracks_writes = gc::WriteTracking().start() != gc::WriteTrackingMethod::none};
  if (json) json->commit(log_to_json(processes, machine));
  const Terminal terminal = Terminal::of_output();
  const PlotLetters letters = terminal.has_utf8 ? PlotLetters::utf8 : PlotLetters::ascii;
  fmt::print("{}", terminal.fit(format_log(processes, machine, letters)));
  return 0;
}

}  // namespace jackdaw::tools
