// NumaProbabilisticVictim: prefers victims on the thief's own memory node, and accepts a victim with the
// probability that its queue's fill has. After enough refusals it goes on to the nearest other node. Before
// it goes farther, or starts again, it looks once at each worker of the group, and accepts any with stealable
// tasks.
//
// Source: Wang et al., "BWoS", OSDI 2023, §3.4: probabilistic acceptance after a NUMA-aware selection, the
// combination that §6.2.3 finds the best. The paper leaves open how a thief comes to leave its node. Here the
// refusals before a group grow with its distance and with the number of nearer workers: two for each of them
// at the usual distance of another node, 20 where one's own is 10. The last look finds what chance has
// missed. With one stealable block of eight that is the rule, and eight refusals for each worker made sixteen
// of them up to a third slower than other policies (docs/results.md).
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
  /// The looks at the queues of nearer workers, for each of them, before the thief goes on to a group at the
  /// usual distance; and the looks at the last group, for each of its workers, before it starts again.
  static constexpr std::size_t kLooksPerWorker = 2;
  /// A distance counts as at most this number of usual ones, so that a search ends.
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

  /// Returns no victim when the sampled block had nothing. O(1), one cache line of the victim; the last look
  /// at a group takes O(its workers), which is no more than the looks before.
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
    std::size_t last_look;  // at the group
  };

  // Plans the stages among workers numbered below workers_.
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
  std::size_t look_ = 0;       // looks made in this search
  std::size_t stage_ = 0;      // the stage of the next look
  std::uint32_t workers_ = 0;  // the limit of the last search
  RandomNumbers random_;
};

static_assert(VictimPolicy<NumaProbabilisticVictim>);

}  // namespace jackdaw::mark
