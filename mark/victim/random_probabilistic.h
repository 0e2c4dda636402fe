// RandomProbabilisticVictim: any other worker, accepted with the probability that its queue's fill has.
//
// Source: Wang et al., "BWoS", OSDI 2023, §3.4. The fill is not measured: one random block of the victim is
// looked at, and the victim is taken when that block has something to steal. So a thief steals from each
// queue in proportion to its size, and a look costs the owner nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "mark/victim/random.h"
#include "mark/victim/victim_policy.h"

namespace jackdaw::mark {

class RandomProbabilisticVictim {
 public:
  RandomProbabilisticVictim(std::uint32_t self, std::uint32_t workers, std::uint64_t seed)
      : selector_(self, workers, seed) {}

  /// Nobody when the sampled block had nothing. O(1), one cache line of the victim's.
  template <typename Queues>
  std::optional<std::uint32_t> choose(const Queues& queues) {
    const std::uint32_t candidate = selector_.pick();
    if (queues.looks_stealable(candidate, selector_.random().next())) return candidate;
    return std::nullopt;
  }

 private:
  RandomVictim selector_;
};

static_assert(VictimPolicy<RandomProbabilisticVictim>);

}  // namespace jackdaw::mark
