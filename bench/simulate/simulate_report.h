// The report of `jackdaw simulate`: tables for people, JSON for machines.
#pragma once

#include <string>

#include "bench/simulate/simulate_experiment.h"

namespace jackdaw::bench {

/// Formats the measurements, a line for each queue, policy and number of workers, where each stops scaling,
/// and the validation if there was one. Ends with a newline.
std::string format_simulation(const SimulateReport& report);

/// Formats JSON with the keys that docs/command.md lists. Ends with a newline.
std::string simulation_to_json(const SimulateReport& report);

}  // namespace jackdaw::bench
