// The report of `jackdaw log`: tables and plots for people, JSON for machines.
#pragma once

#include <string>
#include <vector>

#include "tools/log/advice.h"
#include "tools/log/plot.h"
#include "tools/log/process_summary.h"

namespace jackdaw::tools {

/// Formats a line for each process where there are several, and all figures, plots and advice of the first
/// one, in 80 columns. Ends with a newline. `processes` has at least one.
std::string format_log(const std::vector<ProcessSummary>& processes, const ProgramMachine& machine,
                       PlotLetters letters);

/// Formats all of each process, with the keys that docs/command.md lists. Ends with a newline.
std::string log_to_json(const std::vector<ProcessSummary>& processes, const ProgramMachine& machine);

}  // namespace jackdaw::tools
