// How a MarkReport is shown: tables for people, JSON for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/mark_experiment.h"

namespace jackdaw::bench {

/// One line on the graph, a table of the runs, a table of the workers of the run nearest the median, the
/// steal percentage, the ratio to the baseline and the bounds. Ends with a newline.
std::string format_tables(const MarkReport& report);

/// The report by the keys that docs/command.md lists.
nlohmann::ordered_json to_json(const MarkReport& report);

}  // namespace jackdaw::bench
