// NumaVictim: every worker on the thief's own memory node before any on another.
//
// Source: the NUMA-aware policies that Wang et al. measure ("BWoS", OSDI 2023, §2.1.3 and §6.2.3): a steal
// from another node costs several times as much as one from the same.
#pragma once

#include <cstdint>
#include <optional>

#include "mark/random_numbers.h"
#include "mark/victim/shuffled_workers.h"
#include "mark/victim/victim_policy.h"

namespace jackdaw::mark {

class NumaVictim {
 public:
  explicit NumaVictim(const VictimSetup& setup) : random_(setup.seed) {
    for (std::uint32_t worker = 0; worker < setup.workers; ++worker) {
      if (worker != setup.self) (setup.is_near(worker) ? near_ : far_).add(worker);
    }
  }

  void start_search() {
    near_.start();
    far_.start();
  }
  void stole_from(std::uint32_t) {}

  /// Each near worker once, in random order, then each far one once, then again. Never nobody. O(1).
  template <typename Queues>
  std::optional<VictimChoice> choose(const Queues&) {
    if (near_.all_drawn() && far_.all_drawn()) start_search();
    return VictimChoice{(near_.all_drawn() ? far_ : near_).draw(random_)};
  }

 private:
  ShuffledWorkers near_;
  ShuffledWorkers far_;
  RandomNumbers random_;
};

static_assert(VictimPolicy<NumaVictim>);

}  // namespace jackdaw::mark
