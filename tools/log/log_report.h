// The report of `jackdaw log`: tables and plots for people, JSON for machines.
#pragma once

#include <string>
#include <vector>

#include "tools/log/advice.h"
#include "tools/log/process_summary.h"

namespace jackdaw::tools {

/// A line for each process where there are several; of the first one all figures, plots and advice. Ends with
/// a newline. `processes`: one at least.
std::string format_log(const std::vector<ProcessSummary>& processes, const ProgramMachine& machine);

/// All of each process, by the keys that docs/command.md lists. Ends with a newline.
std::string log_to_json(const std::vector<ProcessSummary>& processes, const ProgramMachine& machine);

}  // namespace jackdaw::tools
