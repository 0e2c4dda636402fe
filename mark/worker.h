// Worker: one mark thread's part of a round.
//
// It marks until it has no tasks (mark/mark_loop.h). Then it steals (mark/work_search.h), and when there is
// nothing to steal it leaves the round, to which it may be called back (mark/searchers.h, mark/team.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/probe.h"
#include "mark/biased_regions.h"
#include "mark/mark_loop.h"
#include "mark/marker_options.h"
#include "mark/object_model.h"
#include "mark/queue/queue.h"
#include "mark/statistics.h"
#include "mark/time_line.h"
#include "mark/victim/victim_policy.h"
#include "mark/work_search.h"

namespace jackdaw::mark {

/// One worker. `Team` is Team of mark/team.h, or a stand-in.
///
/// queue(), biased_regions() and request_tasks() may be used by every worker of the team; take_part and
/// run_serially are called on the worker's own thread, all else between rounds.
template <ObjectModel Model, StealableQueue Queue, VictimPolicy Victim, typename Team>
class alignas(128) Worker {
 public:
  using Task = typename Model::Task;

  /// Throws std::invalid_argument for sizes out of range, std::bad_alloc, and what `make_victim` throws.
  Worker(Team& team, const MarkerOptions& options, const VictimSetup& setup,
         const VictimMaker<Victim>& make_victim)
      : loop_(team, setup.self, options),
        index_(setup.self),
        time_line_(options.time_line != nullptr ? &options.time_line->of(setup.self) : nullptr),
        search_(team, setup, make_victim, options.tuning.steal_batch) {}

  /// The queue, for thieves.
  Queue& queue() { return loop_.tasks().queue(); }
  /// These serve the other workers, as in MarkLoop.
  BiasedRegions& biased_regions() { return loop_.biased_regions(); }
  void request_tasks() { loop_.request_tasks(); }
  /// Returns the counts of the last round.
  [[nodiscard]] const WorkerStatistics& statistics() const { return loop_.statistics(); }
  /// Returns how often it has stolen from each worker since it was made.
  [[nodiscard]] std::span<const std::uint32_t> steals_by_victim() const { return search_.steals_by_victim(); }
  /// Whether a task was dropped in the last round because the overflow list could not grow.
  [[nodiscard]] bool dropped_tasks() const { return loop_.tasks().has_dropped(); }
  /// Returns the bytes of the queue, and of the overflow list at its peak in the last round.
  [[nodiscard]] std::size_t memory_bytes() const { return loop_.tasks().memory_bytes(); }

  /// To be called before every round in which the worker may take part.
  void start_round() { loop_.start_round(); }
  /// Completes the counts after a round.
  void finish_round() { loop_.finish_round(); }

  /// Marks while no other worker does. Returns true when everything is marked, and false when, after
  /// `references` references, others could help: then others must be started, and this worker continues in
  /// take_part().
  bool run_serially(Model& model, std::uint64_t references) {
    JACKDAW_PROBE1(worker_work, index_);
    if (loop_.run_alone(model, references)) {
      JACKDAW_PROBE1(worker_sleep, index_);
      return true;
    }
    loop_.start_together();
    return false;
  }

  /// Works beside others until it finds no tasks; it then holds none. It may be called again.
  void take_part(Model& model) {
    JACKDAW_PROBE1(worker_work, index_);
    if (time_line_ != nullptr) time_line_->change_to(Activity::work, Clock::now());
    loop_.run_together(model);
    for (std::span<const Task> found; !(found = find_tasks()).empty();) loop_.run_stolen(model, found);
  }

 private:
  using Clock = std::chrono::steady_clock;

  // Steals tasks for a worker that has none. Returns none when the worker is to leave the round.
  std::span<const Task> find_tasks() {
    const Clock::time_point idle_since = Clock::now();
    JACKDAW_PROBE1(worker_search, index_);
    loop_.biased_regions().give_up();
    std::span<const Task> found;
    if (search_.start()) found = search_.try_to_steal(loop_.statistics());
    while (found.empty() && search_.stays()) found = search_.try_to_steal(loop_.statistics());
    const Clock::time_point idle_until = Clock::now();
    loop_.statistics().idle += idle_until - idle_since;
    if (found.empty()) {
      JACKDAW_PROBE1(worker_sleep, index_);
    } else {
      JACKDAW_PROBE3(worker_steal, index_, search_.last_victim(), static_cast<std::uint32_t>(found.size()));
    }
    if (time_line_ != nullptr) note_search(idle_since, idle_until, found.size());
    return found;
  }

  void note_search(Clock::time_point start, Clock::time_point end, std::size_t found) {
    time_line_->change_to(Activity::idle, start);
    if (found != 0) time_line_->note_steal(search_.last_victim(), found);
    time_line_->change_to(found != 0 ? Activity::work : Activity::sleep, end);
  }

  MarkLoop<Model, Queue, Team> loop_;
  const std::uint32_t index_;
  WorkerTimeLine* const time_line_;  // null: nothing is recorded
  WorkSearch<Task, Queue, Victim, Team> search_;
};

}  // namespace jackdaw::mark
