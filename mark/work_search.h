// WorkSearch: how a worker without tasks finds some: whom it steals from, and what it gets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mark/mark_loop_constants.h"
#include "mark/queue/queue.h"
#include "mark/statistics.h"
#include "mark/victim/others_by_distance.h"
#include "mark/victim/victim_policy.h"

namespace jackdaw::mark {

/// One worker's. `Team` is what the workers share (see Worker). What is found is pushed to the thief's own
/// queue by the worker itself (Worker::find_tasks).
template <typename Task, StealableQueue Queue, VictimPolicy Victim, typename Team>
class WorkSearch {
 public:
  /// `most_at_once` is the most tasks that a steal takes. Throws std::bad_alloc.
  WorkSearch(Team& team, const VictimSetup& setup, std::size_t most_at_once)
      : team_(team),
        index_(setup.self),
        victim_(setup),
        distance_ranks_(distance_ranks(setup, WorkerStatistics::kDistanceRanks)),
        stolen_(most_at_once) {}

  /// The worker has just run out of tasks.
  void start() { victim_.start_search(); }

  /// What was stolen, after a number of attempts in proportion to the number of workers and of the policy's
  /// refusals; empty: nothing was found. Valid until the next call.
  std::span<const Task> try_to_steal(WorkerStatistics& statistics) {
    std::uint64_t contended_streak = 0;
    const std::uint32_t choices = kChoicesPerWorker * team_.worker_count();
    for (std::uint32_t i = 0; i < choices; ++i) {
      const std::optional<VictimChoice> choice = victim_.choose(QueuesOfTeam{team_});
      if (!choice) {
        ++statistics.victims_refused;
        continue;
      }
      const BatchSteal steal = steal_from(*choice, statistics);
      contended_streak = steal.outcome == StealOutcome::contended ? contended_streak + 1 : 0;
      statistics.longest_contended_streak = std::max(statistics.longest_contended_streak, contended_streak);
      if (steal.outcome != StealOutcome::taken) continue;
      victim_.stole_from(choice->worker);
      if (team_.terminator().idle() && team_.queue_of(choice->worker).has_stealable()) team_.wake();
      return std::span(stolen_).first(steal.count);
    }
    return {};
  }

  /// Whether somebody has something to steal. O(workers).
  [[nodiscard]] bool work_in_sight() const {
    for (std::uint32_t other = 0; other < team_.worker_count(); ++other) {
      if (other != index_ && team_.queue_of(other).has_stealable()) return true;
    }
    return false;
  }

 private:
  // What a victim policy may see of the others.
  struct QueuesOfTeam {
    Team& team;

    [[nodiscard]] bool looks_stealable(std::uint32_t worker, std::uint64_t sample) const {
      return team.queue_of(worker).looks_stealable(sample);
    }
    [[nodiscard]] std::size_t size_hint(std::uint32_t worker) const {
      return team.queue_of(worker).size_hint();
    }
    [[nodiscard]] bool has_stealable(std::uint32_t worker) const {
      return team.queue_of(worker).has_stealable();
    }
  };

  BatchSteal steal_from(const VictimChoice& choice, WorkerStatistics& statistics) {
    team_.terminator().before_steal(index_, choice.worker);
    const BatchSteal steal = steal_into_stolen(choice);
    ++statistics.steal_attempts;
    switch (steal.outcome) {
      case StealOutcome::taken:
        ++statistics.steals;
        statistics.tasks_stolen += steal.count;
        ++statistics.steals_by_distance[distance_ranks_[choice.worker]];
        break;
      case StealOutcome::empty:
        ++statistics.steals_empty;
        break;
      case StealOutcome::contended:
        ++statistics.steals_contended;
        break;
    }
    return steal;
  }

  // From the very block whose look made the policy accept the victim, where the queue can do that.
  BatchSteal steal_into_stolen(const VictimChoice& choice) {
    Queue& queue = team_.queue_of(choice.worker);
    if constexpr (RandomizedStealing<Queue>) {
      if (choice.sample) return queue.steal_some_sampled(*choice.sample, stolen_);
    }
    return queue.steal_some(stolen_);
  }

  Team& team_;
  const std::uint32_t index_;
  Victim victim_;
  const std::vector<std::uint8_t> distance_ranks_;  // of each worker, as in WorkerStatistics
  std::vector<Task> stolen_;
};

}  // namespace jackdaw::mark
