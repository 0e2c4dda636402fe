// NumaVictim: chooses every worker on the thief's own memory node before any on another, and so on by
// distance.
//
// Source: the NUMA-aware policies that Wang et al. measure ("BWoS", OSDI 2023, §2.1.3 and §6.2.3): a steal
// from another node costs several times as much as one from the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mark/random_numbers.h"
#include "mark/victim/others_by_distance.h"
#include "mark/victim/victim_policy.h"

namespace jackdaw::bench {

class NumaVictim {
 public:
  explicit NumaVictim(const mark::VictimSetup& setup)
      : groups_(mark::others_by_distance(setup)), random_(setup.seed) {}

  void start_search(std::uint32_t workers) {
    for (mark::WorkersAtDistance& group : groups_) group.workers.limit(workers);
    start_anew();
  }
  void stole_from(std::uint32_t) {}

  /// Returns each of the nearest workers once, in random order, then each of those next in distance, and so
  /// on; then again. Always returns a victim. O(1).
  template <typename Queues>
  std::optional<mark::VictimChoice> choose(const Queues&) {
    while (groups_[group_].workers.all_drawn()) {
      if (++group_ == groups_.size()) start_anew();
    }
    return mark::VictimChoice{groups_[group_].workers.draw(random_)};
  }

 private:
  void start_anew() {
    group_ = 0;
    for (mark::WorkersAtDistance& group : groups_) group.workers.start();
  }

  std::vector<mark::WorkersAtDistance> groups_;
  std::size_t group_ = 0;
  mark::RandomNumbers random_;
};

static_assert(mark::VictimPolicy<NumaVictim>);

}  // namespace jackdaw::bench
