// The report of `jackdaw mark`: tables for people, JSON for machines.
#pragma once

#include <string>

#include "bench/mark/mark_experiment.h"

namespace jackdaw::bench {

/// Formats one line on the graph, a table of the runs, a table of the workers of the run nearest the median,
/// the steal percentage, the ratios to the baselines and the bounds. Ends with a newline.
std::string format_tables(const MarkReport& report);

/// Formats the report as JSON with the keys that docs/command.md lists. Ends with a newline.
std::string to_json(const MarkReport& report);

}  // namespace jackdaw::bench
