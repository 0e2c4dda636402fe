// How a QueueReport is shown: a table for people, JSON and CSV for machines.
#pragma once

#include <string>

#include "bench/queue/queue_experiment.h"

namespace jackdaw::bench {

/// One line on what was measured, then a line for each result, with the columns that the experiment fills.
/// Ends with a newline.
std::string format_table(const QueueReport& report);

/// The report as JSON, by the keys that docs/command.md lists. Ends with a newline.
std::string to_json(const QueueReport& report);

/// The JSON's results: one header line, then a line for each result, with every pass's time in a column of
/// its own; nothing where JSON has null.
std::string to_csv(const QueueReport& report);

}  // namespace jackdaw::bench
