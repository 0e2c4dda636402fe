// NumaProbabilisticVictim: workers on the thief's own memory node first, each accepted with the probability
// that its queue's fill has; after enough refusals those on other nodes, the nearest first, in the same way.
// Before it goes farther the thief looks once at each of the nearer ones, and accepts whoever has something.
//
// Source: Wang et al., "BWoS", OSDI 2023, §3.4: probabilistic acceptance after a NUMA-aware selection, the
// combination that §6.2.3 finds the best. The paper leaves open how a thief comes to leave its node. Here a
// group of workers at some distance is looked at after a number of refusals that grows with the distance and
// with the number of workers that are nearer: with the usual distance of another node, 20 where one's own is
// 10, as many as find a queue with a single stealable block of eight, were there one, two times in three.
// What chance has missed the last look finds: in a queue of many blocks, few of them stealable, that is the
// rule.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "mark/random_numbers.h"
#include "mark/victim/others_by_distance.h"
#include "mark/victim/victim_policy.h"

namespace jackdaw::mark {

class NumaProbabilisticVictim {
 public:
  /// Looks at the queues of nearer workers, times their number, before the thief goes on to a group at the
  /// usual distance; and looks at the last group, times its workers, before it begins anew.
  static constexpr std::size_t kLooksPerWorker = 8;
  /// No distance counts as more than so many usual ones: a thief must come to the end of its search.
  static constexpr std::uint32_t kMostUsualDistances = 4;

  explicit NumaProbabilisticVictim(const VictimSetup& setup) : random_(setup.seed) {
    std::size_t nearer = 0;
    for (WorkersAtDistance& group : others_by_distance(setup)) {
      const std::size_t size = group.workers.size();
      groups_.push_back({refusals_before(group.distance, nearer), std::move(group.workers)});
      nearer += size;
    }
    looks_in_all_ = groups_.back().first_look + kLooksPerWorker * groups_.back().workers.size();
  }

  void start_search() { look_ = group_ = 0; }
  void stole_from(std::uint32_t) {}

  /// Nobody when the sampled block had nothing. O(1), one cache line of the victim's; of the last look before
  /// going farther, O(nearer workers), which are fewer than the looks before it.
  template <typename Queues>
  std::optional<VictimChoice> choose(const Queues& queues) {
    ShuffledWorkers& workers = next_group();
    if (group_ + 1 < groups_.size() && look_ == groups_[group_ + 1].first_look)
      return anybody_with_work(workers, queues);
    const VictimChoice candidate{workers.any(random_), random_.next()};
    if (queues.looks_stealable(candidate.worker, *candidate.sample)) return candidate;
    return std::nullopt;
  }

 private:
  struct Group {
    std::size_t first_look;
    ShuffledWorkers workers;
  };

  static std::size_t refusals_before(std::uint32_t distance, std::size_t nearer) {
    const std::size_t most = std::size_t{kMostUsualDistances} * NodeDistance::kFar;
    return kLooksPerWorker * nearer * std::min<std::size_t>(distance, most) / NodeDistance::kFar;
  }

  template <typename Queues>
  std::optional<VictimChoice> anybody_with_work(ShuffledWorkers& workers, const Queues& queues) {
    workers.start();
    while (!workers.all_drawn()) {
      const std::uint32_t worker = workers.draw(random_);
      if (queues.has_stealable(worker)) return VictimChoice{worker};
    }
    return std::nullopt;
  }

  ShuffledWorkers& next_group() {
    if (look_ == looks_in_all_) start_search();
    if (group_ + 1 < groups_.size() && look_ == groups_[group_ + 1].first_look) ++group_;
    ++look_;
    return groups_[group_].workers;
  }

  std::vector<Group> groups_;  // by distance
  std::size_t looks_in_all_ = 0;
  std::size_t look_ = 0;   // the next
  std::size_t group_ = 0;  // at which the last look was
  RandomNumbers random_;
};

static_assert(VictimPolicy<NumaProbabilisticVictim>);

}  // namespace jackdaw::mark
