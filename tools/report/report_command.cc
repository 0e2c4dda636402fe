#include "tools/report/report_command.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/command/output_file.h"
#include "tools/report/report_page.h"
#include "tools/report/results.h"

namespace jackdaw::tools {

ReportCommand::ReportCommand(CLI::App& app)
    : Command(app, "report", "Show results as charts and tables, in one HTML file") {
  command_->footer(
      "RESULT is what jackdaw mark --json wrote, or bench/programs/latency, or, with it, "
      "bench/programs/compare, or a profile of JACKDAW_PROFILE.\n"
      "Several are shown side by side, compared with the first.\n"
      "\nExamples:\n"
      "  jackdaw report result.json -o report.html\n"
      "  jackdaw report before.json after.json -o report.html\n"
      "  jackdaw report program.pb -o report.html\n"
      "\nExit status: 0; 2 when the input is bad.\n");
  command_->add_option("RESULT", results_, "Files with results")->required();
  command_->add_option("-o,--output", output_, "Write the report to this file")
      ->type_name("FILE")
      ->required();
}

int ReportCommand::run() {
  OutputFile output("--output", output_);
  output.commit(report_page(read_results(results_)));
  return 0;
}

}  // namespace jackdaw::tools
