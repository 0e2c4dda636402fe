// Results of measurements, checked and reduced to what the report's page shows.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

namespace jackdaw::tools {

/// Reads files of `jackdaw mark --json`, bench/programs/latency or, with it, bench/programs/compare, and
/// profiles. Returns a list of results: objects with a unique `label`, from the file's name, a `kind`,
/// "mark", "latency" or "profile", and the keys of docs/command.md, bench/programs/README.md and
/// flame_graph(). Only the run nearest the median has its workers. Throws InputError.
nlohmann::json read_results(std::span<const std::string> paths);

/// Reads one file's text, which is no profile. Labels are `file` or the programs' names.
nlohmann::json results_of(const std::string& text, const std::string& file);

}  // namespace jackdaw::tools
