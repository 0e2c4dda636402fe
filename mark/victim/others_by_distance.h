// OthersByDistance: the workers that a thief may steal from, in groups at equal distance.
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

/// Returns all workers but the thief, the nearest first. No group is empty, and there is at least one.
/// O(workers × groups). Throws std::bad_alloc.
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

/// Returns each worker's rank of distance: 0 on the thief's node, 1 on nodes at the least distance of those
/// that have workers, 2 at the next distance, and so on; the last of `ranks` ranks covers all farther ones.
/// O(workers × groups). Throws std::bad_alloc.
inline std::vector<std::uint8_t> distance_ranks(const VictimSetup& setup, std::size_t ranks) {
  std::vector<std::uint32_t> distances{base::NodeDistance::kNear};
  for (const WorkersAtDistance& group : others_by_distance(setup)) {
    if (group.distance != base::NodeDistance::kNear) distances.push_back(group.distance);
  }
  std::vector<std::uint8_t> rank_of_worker(setup.workers);
  for (std::uint32_t worker = 0; worker < setup.workers; ++worker) {
    const auto found = std::find(distances.begin(), distances.end(), setup.distance_to(worker));
    const auto rank = static_cast<std::size_t>(found - distances.begin());
    rank_of_worker[worker] = static_cast<std::uint8_t>(std::min(rank, ranks - 1));
  }
  return rank_of_worker;
}

}  // namespace jackdaw::mark
