// Results of measurements, checked and reduced to what the report's page shows.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

namespace jackdaw::tools {

/// Reads files of `jackdaw mark --json`, bench/programs/latency or, with it, bench/programs/compare. Returns
/// a list of results: objects with a unique `label`, from the file's name, a `kind`, "mark" or "latency", and
/// the keys of docs/command.md and bench/programs/README.md. Only the run nearest the median has its workers.
/// Throws InputError.
nlohmann::json read_results(std::span<const std::string> paths);

/// Reads one file's text. Labels are `file` or the programs' names.
nlohmann::json results_of(const std::string& text, const std::string& file);

}  // namespace jackdaw::tools
