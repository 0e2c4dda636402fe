// NumaProbabilisticVictim: workers on the thief's own memory node first, each accepted with the probability
// that its queue's fill has; after enough refusals those on other nodes, the nearest first, in the same way.
// Before it goes farther, or begins anew, the thief looks once at each of them, and accepts any that has
// something.
//
// Source: Wang et al., "BWoS", OSDI 2023, §3.4: probabilistic acceptance after a NUMA-aware selection, the
// combination that §6.2.3 finds the best. The paper leaves open how a thief comes to leave its node. Here a
// group of workers at some distance is looked at after a number of refusals that grows with the distance and
// with the number of workers that are nearer: with the usual distance of another node, 20 where one's own is
// 10, two for each. What chance has missed the last look finds: in a queue of eight blocks, one of them
// stealable, that is the rule, and eight refusals for each worker made sixteen of them up to a third slower
// than with other policies (docs/results.md).
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
  static constexpr std::size_t kLooksPerWorker = 2;
  /// No distance counts as more than this number of usual ones: a thief must come to the end of its search.
  static constexpr std::uint32_t kMostUsualDistances = 4;

  explicit NumaProbabilisticVictim(const VictimSetup& setup)
      : groups_(others_by_distance(setup)), random_(setup.seed) {
    stages_.reserve(groups_.size());
  }

  void start_search(std::uint32_t workers) {
    if (workers != std::exchange(workers_, workers)) plan_search();
    look_ = stage_ = 0;
  }
  void stole_from(std::uint32_t) {}

  /// No victim when the sampled block had nothing. O(1), one cache line of the victim's; of the last look at
  /// a group, O(its workers), which are no more than the looks at it.
  template <typename Queues>
  std::optional<VictimChoice> choose(const Queues& queues) {
    ShuffledWorkers& group = groups_[stages_[stage_].group].workers;
    if (++look_ == stages_[stage_].last_look) {
      if (++stage_ == stages_.size()) look_ = stage_ = 0;
      return anybody_with_work(group, queues);
    }
    const VictimChoice candidate{group.any(random_), random_.next()};
    if (queues.looks_stealable(candidate.worker, *candidate.sample)) return candidate;
    return std::nullopt;
  }

 private:
  // A stage of a search looks at one group that has workers.
  struct Stage {
    std::size_t group;
    std::size_t last_look;  // at it
  };

  // Only workers numbered below workers_ are victims.
  void plan_search() {
    std::size_t nearer = 0;
    stages_.clear();
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      groups_[i].workers.limit(workers_);
      const std::size_t size = groups_[i].workers.size();
      if (size == 0) continue;
      const std::size_t earlier = looks_before(groups_[i].distance, nearer);
      if (!stages_.empty()) stages_.back().last_look = earlier;
      stages_.push_back({i, earlier + kLooksPerWorker * size});
      nearer += size;
    }
  }

  static std::size_t looks_before(std::uint32_t distance, std::size_t nearer) {
    const std::size_t most = std::size_t{kMostUsualDistances} * base::NodeDistance::kFar;
    return kLooksPerWorker * nearer * std::min<std::size_t>(distance, most) / base::NodeDistance::kFar;
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

  std::vector<WorkersAtDistance> groups_;
  std::vector<Stage> stages_;  // the nearest first
  std::size_t look_ = 0;       // how many were made
  std::size_t stage_ = 0;      // at which the next is
  std::uint32_t workers_ = 0;  // the limit of the last search
  RandomNumbers random_;
};

static_assert(VictimPolicy<NumaProbabilisticVictim>);

}  // namespace jackdaw::mark
