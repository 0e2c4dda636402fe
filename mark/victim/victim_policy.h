// VictimPolicy: how a thief chooses its victim.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "base/node_distance.h"

namespace jackdaw::mark {

/// The parameters that one worker's victim policy is constructed with.
struct VictimSetup {
  std::uint32_t self = 0;     ///< the thief's own number
  std::uint32_t workers = 2;  ///< workers of the team; at least 2
  std::uint64_t seed = 1;     ///< for random choices
  /// The memory node of each worker; empty: all are on one. Read by constructors alone.
  std::span<const std::uint32_t> nodes = {};
  /// The distance of node b's memory from node a, at a × the number of nodes + b, where one's own is at
  /// NodeDistance::kNear. Empty: all others are at NodeDistance::kFar. Read by constructors alone.
  std::span<const std::uint32_t> node_distances = {};

  /// Returns how far a worker's node is from the thief's.
  [[nodiscard]] std::uint32_t distance_to(std::uint32_t worker) const {
    if (nodes.empty() || nodes[worker] == nodes[self]) return base::NodeDistance::kNear;
    if (node_distances.empty()) return base::NodeDistance::kFar;
    const std::size_t count = base::NodeDistance::nodes_in_table(node_distances.size());
    return node_distances[nodes[self] * count + nodes[worker]];
  }
};

/// A victim, and the sample by which its queue was looked at, if it was.
struct VictimChoice {
  std::uint32_t worker;
  std::optional<std::uint64_t> sample = std::nullopt;
};

/// Stands for the queues of all workers in the concept below.
struct QueueSamples {
  [[nodiscard]] bool looks_stealable(std::uint32_t worker, std::uint64_t sample) const {
    return (worker + sample) % 2 == 0;
  }
  [[nodiscard]] std::size_t size_hint(std::uint32_t worker) const { return worker; }
  [[nodiscard]] bool has_stealable(std::uint32_t worker) const { return worker != 0; }
};

/// Chooses victims for one worker, on that worker's thread.
///
/// `start_search(workers)` says that the worker ran out of tasks, and that only workers numbered below
/// `workers`, which is at least 2 and covers the thief, may have some; it is cheap unless that number has
/// changed. `choose(queues)` then returns another worker, or none when the policy refuses what it looked at,
/// in which case the thief asks again. `stole_from(worker)` says that a steal succeeded, which ends the
/// search.
///
/// `queues.looks_stealable(worker, sample)` glances at one random part of a worker's queue;
/// `queues.has_stealable(worker)` says whether a steal could find something; `queues.size_hint(worker)` adds
/// up all parts, which costs the queue's owner more.
template <typename Policy>
concept VictimPolicy = std::constructible_from<Policy, const VictimSetup&> &&
    requires(Policy& policy, const QueueSamples& queues, std::uint32_t worker) {
  policy.start_search(worker);
  { policy.choose(queues) } -> std::same_as<std::optional<VictimChoice>>;
  policy.stole_from(worker);
};

/// Makes a worker's policy, for policies that need more than a VictimSetup.
template <typename Policy>
using VictimMaker = std::function<Policy(const VictimSetup&)>;

}  // namespace jackdaw::mark
