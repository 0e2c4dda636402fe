// The report of the plain loop's times beside ours.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/mark/plain_loop.h"

namespace jackdaw::bench {

/// Formats one line, with a newline. `our_ms` is our median.
void format_plain_loop(const PlainLoopTimes& times, double our_ms, std::string& out);

/// Adds the keys `plain_loop` and `ratio_to_plain_loop`.
void add_plain_loop(const PlainLoopTimes& times, double our_ms, nlohmann::ordered_json& json);

}  // namespace jackdaw::bench
