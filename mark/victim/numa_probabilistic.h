// NumaProbabilisticVictim: workers on the thief's own memory node first, each accepted with the probability
// that its queue's fill has; after enough refusals those on other nodes, in the same way.
//
// Source: Wang et al., "BWoS", OSDI 2023, §3.4: probabilistic acceptance after a NUMA-aware selection, the
// combination that §6.2.3 finds the best. The paper leaves open how a thief comes to leave its node: here
// after as many refusals in one search as find a queue with a single stealable block of eight, were there
// one, two times in three.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "mark/random_numbers.h"
#include "mark/victim/shuffled_workers.h"
#include "mark/victim/victim_policy.h"

namespace jackdaw::mark {

class NumaProbabilisticVictim {
 public:
  /// Looks at the queues of a group, times the group's workers, before the thief goes on to the other group.
  static constexpr std::size_t kLooksPerWorker = 8;

  explicit NumaProbabilisticVictim(const VictimSetup& setup) : random_(setup.seed) {
    for (std::uint32_t worker = 0; worker < setup.workers; ++worker) {
      if (worker != setup.self) (setup.is_near(worker) ? near_ : far_).add(worker);
    }
  }

  void start_search() { looks_ = 0; }
  void stole_from(std::uint32_t) {}

  /// Nobody when the sampled block had nothing. O(1), one cache line of the victim's.
  template <typename Queues>
  std::optional<VictimChoice> choose(const Queues& queues) {
    const VictimChoice candidate{next_group().any(random_), random_.next()};
    if (queues.looks_stealable(candidate.worker, *candidate.sample)) return candidate;
    return std::nullopt;
  }

 private:
  const ShuffledWorkers& next_group() {
    if (looks_ == kLooksPerWorker * (near_.size() + far_.size())) looks_ = 0;
    return looks_++ < kLooksPerWorker * near_.size() ? near_ : far_;
  }

  ShuffledWorkers near_;
  ShuffledWorkers far_;
  RandomNumbers random_;
  std::size_t looks_ = 0;
};

static_assert(VictimPolicy<NumaProbabilisticVictim>);

}  // namespace jackdaw::mark
