// The report of the conservative experiment: a table for people, JSON for machines.
#pragma once

#include <string>

#include "bench/mark/conservative_experiment.h"

namespace jackdaw::bench {

/// Formats two lines on the graph and the setting, a table of the runs and the ratio to libgc. Ends with a
/// newline.
std::string format_tables(const ConservativeReport& report);

/// Formats the report as JSON with the keys that docs/command.md lists. Ends with a newline.
std::string to_json(const ConservativeReport& report);

}  // namespace jackdaw::bench
