// How a ConservativeReport is shown: a table for people, JSON for machines.
#pragma once

#include <string>

#include "bench/mark/conservative_experiment.h"

namespace jackdaw::bench {

/// Two lines on the graph and the setting, a table of the runs and the ratio to libgc. Ends with a newline.
std::string format_tables(const ConservativeReport& report);

/// The report as JSON, by the keys that docs/command.md lists. Ends with a newline.
std::string to_json(const ConservativeReport& report);

}  // namespace jackdaw::bench
