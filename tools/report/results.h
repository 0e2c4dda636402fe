// Results of measurements, as the report's page takes them: checked, and without what it does not show.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

namespace jackdaw::tools {

/// Reads files that `jackdaw mark --json`, bench/programs/latency or, with it, bench/programs/compare wrote.
/// Gives a list of results: an object each, with a `label` that no other has, made of the file's name, and a
/// `kind`, "mark" or "latency"; else the keys of docs/command.md and bench/programs/README.md, but of the
/// runs' workers those of the run nearest the median alone. Throws InputError.
nlohmann::json read_results(std::span<const std::string> paths);

/// Reads one file's text. Labels are `file` or the programs' names.
nlohmann::json results_of(const std::string& text, const std::string& file);

}  // namespace jackdaw::tools
