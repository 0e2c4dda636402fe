// RandomProbabilisticVictim: chooses any other worker, and accepts it with the probability that its queue's
// fill has.
//
// Source: Wang et al., "BWoS", OSDI 2023, §3.4. The fill is not measured: one random block of the victim is
// looked at, and the victim is taken when that block has something to steal. So a thief steals from each
// queue in proportion to its size, and a look costs the owner nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "bench/victims/random.h"
#include "mark/victim/victim_policy.h"

namespace jackdaw::bench {

class RandomProbabilisticVictim {
 public:
  explicit RandomProbabilisticVictim(const mark::VictimSetup& setup) : selector_(setup) {}

  void start_search(std::uint32_t workers) { selector_.start_search(workers); }
  void stole_from(std::uint32_t) {}

  /// Returns no victim when the sampled block had nothing. O(1), one cache line of the victim.
  template <typename Queues>
  std::optional<mark::VictimChoice> choose(const Queues& queues) {
    const mark::VictimChoice candidate{selector_.pick(), selector_.random().next()};
    if (queues.looks_stealable(candidate.worker, *candidate.sample)) return candidate;
    return std::nullopt;
  }

 private:
  RandomVictim selector_;
};

static_assert(mark::VictimPolicy<RandomProbabilisticVictim>);

}  // namespace jackdaw::bench
