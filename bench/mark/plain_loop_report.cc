#include "bench/mark/plain_loop_report.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

namespace jackdaw::bench {

void format_plain_loop(const PlainLoopTimes& times, double our_ms, std::string& out) {
  fmt::format_to(std::back_inserter(out),
                 "ratio to a plain loop of one thread: {:.3f} ({} objects, {:.3f} ms; medians)\n",
                 our_ms / times.median_ms, times.objects_marked, times.median_ms);
}

void add_plain_loop(const PlainLoopTimes& times, double our_ms, nlohmann::ordered_json& json) {
  json["plain_loop"] = {
      {"objects_marked", times.objects_marked}, {"wall_ms", times.wall_ms}, {"median_ms", times.median_ms}};
  json["ratio_to_plain_loop"] = our_ms / times.median_ms;
}

}  // namespace jackdaw::bench
