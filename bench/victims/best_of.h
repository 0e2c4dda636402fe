// BestOfTwoVictim and BestOfManyVictim: choose the one with most to steal of some other workers, picked at
// random.
//
// Source: Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing", IEEE TPDS 2001; OpenJDK's
// task queues choose the best of two. 'Many' is half of the workers, as in Wang et al., "BWoS", OSDI 2023,
// §6.2.3, which also measures the cost of reading that number of sizes to the owners.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "mark/random_numbers.h"
#include "mark/victim/shuffled_workers.h"
#include "mark/victim/victim_policy.h"

namespace jackdaw::bench {

/// Chooses the fullest of `candidates` different others; of all, when there are fewer.
class BestOfVictim {
 public:
  BestOfVictim(const mark::VictimSetup& setup, std::uint32_t candidates) : random_(setup.seed) {
    for (std::uint32_t worker = 0; worker < setup.workers; ++worker) {
      if (worker != setup.self) others_.add(worker);
    }
    candidates_ = candidates;
  }

  void start_search(std::uint32_t workers) { others_.limit(workers); }
  void stole_from(std::uint32_t) {}

  /// Returns no victim when all that it looked at had nothing. O(candidates × blocks).
  template <typename Queues>
  std::optional<mark::VictimChoice> choose(const Queues& queues) {
    std::optional<mark::VictimChoice> best;
    std::size_t most = 0;
    others_.start();
    for (std::size_t i = 0; i < candidates_ && !others_.all_drawn(); ++i) {
      const std::uint32_t candidate = others_.draw(random_);
      const std::size_t size = queues.size_hint(candidate);
      if (size <= most) continue;
      most = size;
      best = mark::VictimChoice{candidate};
    }
    return best;
  }

 private:
  mark::ShuffledWorkers others_;
  std::size_t candidates_ = 0;
  mark::RandomNumbers random_;
};

/// Chooses the fuller of two.
class BestOfTwoVictim : public BestOfVictim {
 public:
  explicit BestOfTwoVictim(const mark::VictimSetup& setup) : BestOfVictim(setup, 2) {}
};

/// Chooses the fullest of half of the workers.
class BestOfManyVictim : public BestOfVictim {
 public:
  explicit BestOfManyVictim(const mark::VictimSetup& setup)
      : BestOfVictim(setup, std::max(1U, setup.workers / 2)) {}
};

static_assert(mark::VictimPolicy<BestOfTwoVictim> && mark::VictimPolicy<BestOfManyVictim>);

}  // namespace jackdaw::bench
