// OthersByDistance: the workers that a thief may steal from, in groups of those that are equally far.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mark/victim/shuffled_workers.h"
#include "mark/victim/victim_policy.h"

namespace jackdaw::mark {

/// Some workers that are equally far from a thief.
struct WorkersAtDistance {
  std::uint32_t distance = 0;
  ShuffledWorkers workers;
};

/// All workers but the thief, the nearest first. No group is empty, and there is one at least. O(workers ×
/// groups). Throws std::bad_alloc.
inline std::vector<WorkersAtDistance> others_by_distance(const VictimSetup& setup) {
  std::vector<WorkersAtDistance> groups;
  for (std::uint32_t worker = 0; worker < setup.workers; ++worker) {
    if (worker == setup.self) continue;
    const std::uint32_t distance = setup.distance_to(worker);
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const WorkersAtDistance& other) { return other.distance >= distance; });
    if (group == groups.end() || group->distance != distance) group = groups.insert(group, {distance, {}});
    group->workers.add(worker);
  }
  return groups;
}

}  // namespace jackdaw::mark
