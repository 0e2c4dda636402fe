// The report of `jackdaw limit`: a table for people, JSON for machines.
#pragma once

#include <string>
#include <vector>

#include "bench/limit/limit_experiment.h"

namespace jackdaw::bench {

/// Formats one line on the measurement, then a line for each setting. Ends with a newline.
std::string format_limit(const LimitOptions& options, const std::vector<LimitResult>& results);

/// Formats JSON with the keys that docs/command.md lists. Ends with a newline.
std::string limit_to_json(const LimitOptions& options, const std::vector<LimitResult>& results);

}  // namespace jackdaw::bench
