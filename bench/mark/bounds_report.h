// The report on the bounds of the theory: tables for people, JSON for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/mark/bounds.h"

namespace jackdaw::bench {

/// Appends the terms and, with several workers, tables of time, steals and space, each with its theorem. Ends
/// with a newline.
void format_bounds(const Bounds& bounds, std::string& out);

/// Formats JSON with the keys that docs/command.md lists.
nlohmann::ordered_json bounds_to_json(const Bounds& bounds);

}  // namespace jackdaw::bench
