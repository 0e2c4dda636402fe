// checked(): rejects options that no engine can be made with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/node_distance.h"
#include "base/throw_or_end.h"
#include "mark/biased_regions.h"
#include "mark/marker_options.h"
#include "mark/time_line.h"

namespace jackdaw::mark {

// Whether the distance from every node to every other is given.
inline bool are_complete(const std::vector<std::uint32_t>& nodes,
                         const std::vector<std::uint32_t>& distances) {
  const std::size_t count = base::NodeDistance::nodes_in_table(distances.size());
  return count * count == distances.size() &&
         std::ranges::all_of(nodes, [count](std::uint32_t node) { return node < count; });
}

/// Returns the options unchanged. Throws std::invalid_argument if an engine whose queue serves thieves, or
/// does not, cannot follow them.
inline const MarkerOptions& checked(const MarkerOptions& options, bool serves_thieves) {
  constexpr std::uint32_t kMaximumNodes = 1024;
  const auto demand = [](bool is_met, const char* message) {
    if (!is_met) base::throw_or_end(std::invalid_argument(message));
  };
  demand(options.threads != 0 && options.threads <= BiasedRegions::kMaximumWorkers,
         "Marker: the number of threads must be from 1 to 1024");
  demand(options.threads == 1 || serves_thieves, "Marker: this queue serves one thread alone");
  demand(options.tuning.steal_batch != 0, "Marker: a thief must be allowed to take one task at least");
  demand(options.nodes.empty() || options.nodes.size() >= options.threads,
         "Marker: the memory node of every worker must be given, or of none");
  demand(options.time_line == nullptr || options.time_line->worker_count() >= options.threads,
         "Marker: the time line must have room for as many workers as there are");
  demand(std::ranges::all_of(options.nodes, [](std::uint32_t node) { return node < kMaximumNodes; }),
         "Marker: memory nodes are numbered from 0 to 1023");
  demand(std::ranges::all_of(options.node_distances,
                             [](std::uint32_t distance) { return distance >= base::NodeDistance::kNear; }),
         "Marker: no distance is below 10, which is that of a node to itself");
  demand(options.node_distances.empty() || are_complete(options.nodes, options.node_distances),
         "Marker: the distance from every node to every other must be given, or none");
  return options;
}

}  // namespace jackdaw::mark
