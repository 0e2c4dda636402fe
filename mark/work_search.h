// WorkSearch: how a worker without tasks steals some: from which victims, how often, and how many at once.
// The worker pushes them to its own task store (MarkLoop::run_stolen).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/page_array.h"
#include "base/stress.h"
#include "mark/mark_loop_constants.h"
#include "mark/queue/queue.h"
#include "mark/random_numbers.h"
#include "mark/statistics.h"
#include "mark/victim/others_by_distance.h"
#include "mark/victim/victim_policy.h"

namespace jackdaw::mark {

/// Owned by one worker. It uses these members of `Team` (mark/team.h): `queue_of(worker)`,
/// `request_tasks_of(worker)`, `worker_count()`, `called()`, `at_work()`, `searchers()` and `wake()`.
template <typename Task, StealableQueue Queue, VictimPolicy Victim, typename Team>
class WorkSearch {
 public:
  /// `make_victim(setup)` makes the victim policy; `most_at_once` is the most tasks that a steal takes.
  /// Throws std::bad_alloc, and what `make_victim` throws.
  template <typename MakeVictim>
  WorkSearch(Team& team, const VictimSetup& setup, const MakeVictim& make_victim, std::size_t most_at_once)
      : team_(team),
        index_(setup.self),
        victim_(make_victim(setup)),
        random_(setup.seed + 1),
        distance_ranks_(distance_ranks(setup, WorkerStatistics::kDistanceRanks)),
        steals_by_victim_(base::PageArray<std::uint32_t>::reserve_or_throw(setup.workers)),
        worker_count_(setup.workers),
        stolen_(most_at_once) {}

  /// Returns how often the worker has stolen from each other one since it was made. Not during a round.
  [[nodiscard]] std::span<const std::uint32_t> steals_by_victim() const {
    return {steals_by_victim_.data(), worker_count_};
  }

  /// To be called when the worker has run out of tasks. Returns whether it may search: not when enough others
  /// do.
  bool start() {
    victim_.start_search(victims());
    return team_.searchers().begin(most_searchers(team_.at_work()));
  }

  /// Returns the stolen tasks, valid until the next call, or none after a number of choices in proportion to
  /// the number of workers.
  std::span<const Task> try_to_steal(WorkerStatistics& statistics) {
    std::uint64_t contended_streak = 0;
    const std::uint32_t choices = kChoicesPerWorker * victims();
    for (std::uint32_t i = 0; i < choices; ++i) {
      const std::optional<VictimChoice> choice = victim_.choose(QueuesOfTeam{team_});
      if (!choice) {
        ++statistics.victims_refused;
        continue;
      }
      base::Stress::delay();
      const BatchSteal steal = steal_from(*choice, statistics);
      contended_streak = steal.outcome == StealOutcome::contended ? contended_streak + 1 : 0;
      statistics.longest_contended_streak = std::max(statistics.longest_contended_streak, contended_streak);
      if (steal.outcome != StealOutcome::taken) continue;
      victim_.stole_from(last_victim_ = choice->worker);
      team_.searchers().end();
      team_.wake();
      return std::span(stolen_).first(steal.count);
    }
    for (std::uint32_t i = 0; i < kRequestsPerSearch; ++i) request_tasks();
    return {};
  }

  /// Returns the worker that the last tasks were stolen from.
  [[nodiscard]] std::uint32_t last_victim() const { return last_victim_; }

  /// To be called after a search in vain. Returns whether to search again; otherwise the worker must leave
  /// the round.
  bool stays() {
    return team_.searchers().stays([this] { return sees_work(); }, [this] { return team_.at_work() == 1; });
  }

 private:
  // Whether a worker has something to steal. If none has, it asks one to offer tasks. O(workers).
  bool sees_work() {
    const std::uint32_t called = team_.called();
    for (std::uint32_t other = 0; other < called; ++other) {
      if (other != index_ && team_.queue_of(other).has_stealable()) return true;
    }
    request_tasks();
    return false;
  }

  // A victim policy's view of the workers' queues.
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

  // Returns a bound on the numbers of victims, rounded up so that policies seldom have to plan for more.
  [[nodiscard]] std::uint32_t victims() const {
    return std::max(2U, std::min(std::bit_ceil(team_.called()), team_.worker_count()));
  }

  void request_tasks() {
    const std::uint32_t victim = random_.below(team_.called());
    if (victim != index_) team_.request_tasks_of(victim);
  }

  BatchSteal steal_from(const VictimChoice& choice, WorkerStatistics& statistics) {
    const BatchSteal steal = steal_into_stolen(choice);
    ++statistics.steal_attempts;
    switch (steal.outcome) {
      case StealOutcome::taken:
        ++statistics.steals;
        statistics.tasks_stolen += steal.count;
        ++statistics.steals_by_distance[distance_ranks_[choice.worker]];
        ++steals_by_victim_[choice.worker];
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

  // Steals from the very block that the policy's sample found stealable, where the queue offers that.
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
  RandomNumbers random_;
  const std::vector<std::uint8_t> distance_ranks_;   // one for each worker, as in WorkerStatistics
  base::PageArray<std::uint32_t> steals_by_victim_;  // on a page of the worker's own
  std::uint32_t worker_count_;
  std::vector<Task> stolen_;
  std::uint32_t last_victim_ = 0;
};

}  // namespace jackdaw::mark
