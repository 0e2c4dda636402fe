// The report of `jackdaw queue`: a table for people, JSON and CSV for machines.
#pragma once

#include <string>

#include "bench/queue/queue_experiment.h"

namespace jackdaw::bench {

/// Formats one line on the measurement, then a line for each result, with the columns that the experiment
/// fills. Ends with a newline.
std::string format_table(const QueueReport& report);

/// Formats the report as JSON with the keys that docs/command.md lists. Ends with a newline.
std::string to_json(const QueueReport& report);

/// Formats the JSON's results as CSV: one header line, then a line for each result, with a column for each
/// pass's time; an empty cell stands for null.
std::string to_csv(const QueueReport& report);

}  // namespace jackdaw::bench
