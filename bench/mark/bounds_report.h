// How the bounds of the theory are shown: tables for people, JSON for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/mark/bounds.h"

namespace jackdaw::bench {

/// Appends the terms and, with several workers, a table each of time, steals and space, every one with the
/// theorem that it stands beside. Ends with a newline.
void format_bounds(const Bounds& bounds, std::string& out);

/// By the keys that docs/command.md lists.
nlohmann::ordered_json bounds_to_json(const Bounds& bounds);

}  // namespace jackdaw::bench
