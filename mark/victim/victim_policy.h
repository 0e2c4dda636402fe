// VictimPolicy: how a thief chooses whom to steal from.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

namespace jackdaw::mark {

/// Stands for the queues of all workers in the concept below.
struct QueueSamples {
  [[nodiscard]] bool looks_stealable(std::uint32_t worker, std::uint64_t sample) const {
    return (worker + sample) % 2 == 0;
  }
};

/// One worker's chooser. Made with the worker's own number, the number of workers (at least 2) and a seed;
/// used by that worker's thread alone.
///
/// `choose(queues)` names another worker, or nobody when the policy refuses what it looked at, in which case
/// the thief asks again. `queues.looks_stealable(worker, sample)` glances at one random block of a worker's
/// queue.
template <typename Policy>
concept VictimPolicy = std::constructible_from<Policy, std::uint32_t, std::uint32_t, std::uint64_t> &&
    requires(Policy& policy, const QueueSamples& queues) {
  { policy.choose(queues) } -> std::same_as<std::optional<std::uint32_t>>;
};

}  // namespace jackdaw::mark
