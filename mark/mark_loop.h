// MarkLoop: how a worker visits tasks until it has none: in batches, oldest first, with polls in between.
//
// A task is made when its object is marked. It goes straight to the prefetch buffer while that has room; else
// it is pushed, and popped later, newest first, into the prefetch buffer (mark/task_store.h). A stolen task
// is pushed to the thief's queue here, by run_stolen(). A visit reports what it finds to a sink
// (mark/mark_sinks.h).
//
// At a poll, a worker beside others answers requests for its biased regions and for tasks, and checks from
// time to time whether to call a helper. A worker alone checks whether others could help.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/always_inline.h"
#include "mark/biased_regions.h"
#include "mark/candidate_buffer.h"
#include "mark/mark_loop_constants.h"
#include "mark/mark_sinks.h"
#include "mark/mark_step.h"
#include "mark/marker_options.h"
#include "mark/object_model.h"
#include "mark/queue/queue.h"
#include "mark/statistics.h"
#include "mark/task_store.h"

namespace jackdaw::mark {

/// Owned by one worker. It uses these members of `Team` (mark/team.h): `claim_input(input)`, `has_input()`,
/// `stays_alone_until(references)`, `searchers_lacking()`, `wake()`, `node_of(worker)` and
/// `biased_regions_of(worker)`.
///
/// The queue, biased_regions() and request_tasks() are for every worker of the team; all else is called on
/// the worker's own thread, or between rounds.
template <ObjectModel ModelType, StealableQueue Queue, typename Team>
class MarkLoop {
 public:
  using Model = ModelType;
  using Task = typename Model::Task;
  using Reference = typename Model::Reference;
  using Tasks = TaskStore<Task, Queue>;

  /// Throws std::invalid_argument for sizes out of range, and std::bad_alloc.
  MarkLoop(Team& team, std::uint32_t worker, const MarkerOptions& options)
      : team_(team),
        index_(worker),
        step_(team, worker, options),
        counts_visits_(options.tuning.count_visits) {}

  Tasks& tasks() { return step_.tasks(); }
  [[nodiscard]] const Tasks& tasks() const { return step_.tasks(); }
  /// Returns the worker's biased regions, for workers that want to mark there.
  BiasedRegions& biased_regions() { return step_.biased_regions(); }
  /// Asks the worker, for a thief that has found nothing, to offer tasks as soon as it has some. Any thread.
  void request_tasks() {
    // Relaxed, both: a hint.
    if (!is_asked_.load(std::memory_order_relaxed)) is_asked_.store(true, std::memory_order_relaxed);
  }
  /// Returns the counts of this round.
  WorkerStatistics& statistics() { return statistics_; }
  [[nodiscard]] const WorkerStatistics& statistics() const { return statistics_; }

  /// To be called before every round in which the worker may take part.
  void start_round() {
    statistics_ = {};
    // Relaxed: a hint.
    is_asked_.store(false, std::memory_order_relaxed);
    step_.start_round();
    step_.distance().start_together();
  }
  /// Completes the counts after a round.
  void finish_round() { step_.finish_round(statistics_); }

  /// Marks while no other worker does. Returns true when everything is marked, and false when, after
  /// `references` references, others could help.
  bool run_alone(Model& model, std::uint64_t references) {
    poll_at_ = references;
    parts_polled_ = 0;
    step_.distance().start_alone();
    return take_input<MarkMode::serial>(model);
  }
  /// To be called after run_alone(), before others begin.
  void start_together() { step_.distance().start_together(); }

  /// Marks beside others until no input and no tasks are left.
  void run_together(Model& model) {
    polls_to_look_ = polls_between_looks_ = 1;
    take_input<MarkMode::immediate>(model);
    drain_together(model);
  }
  /// Pushes stolen tasks to the worker's own task store, and marks beside others until no tasks are left.
  void run_stolen(Model& model, std::span<const Task> stolen) {
    for (const Task task : stolen) keep<MarkMode::immediate>(model, task);
    drain_together(model);
  }

 private:
  friend struct MarkSinks<MarkLoop>;
  using Sinks = MarkSinks<MarkLoop>;
  template <MarkMode kMode>
  using Sink = typename Sinks::template Sink<kMode>;
  template <MarkMode kMode>
  using SamplingSink = typename Sinks::template SamplingSink<kMode>;
  template <MarkMode kMode, typename Prefetched>
  using BatchSink = typename Sinks::template BatchSink<kMode, Prefetched>;
  template <MarkMode kMode>
  using UncountingSink = typename Sinks::template UncountingSink<kMode>;

  // Finds out which of the candidates are references, and marks what those lead to.
  template <MarkMode kMode>
  [[gnu::noinline]] void examine_now(Model& model) {
    if constexpr (!CandidateObjectModel<Model>) {
      return;
    } else if constexpr (kMode == MarkMode::deferred) {
      Sink<kMode> sink{this, &model};
      model.examine(candidates_.take_all(), sink);
    } else {
      UncountingSink<kMode> sink(*this, model);
      sink.references = model.examine(candidates_.take_all(), sink);
      sink.end();
    }
  }

  // Claims the round's roots and rescans piece by piece, as the other workers do, and drains each. Returns
  // what drain() returned.
  template <MarkMode kMode>
  bool take_input(Model& model) {
    typename Team::Input input;
    while (team_.claim_input(input)) {
      for (const Reference root : input.roots) step_.template mark<kMode>(model, root);
      for (const Task task : input.rescans) keep<kMode>(model, task);
      if (!drain_in<kMode>(model)) return false;
    }
    return true;
  }

  template <MarkMode kMode>
  bool drain_in(Model& model) {
    if constexpr (kMode == MarkMode::serial && CandidateObjectModel<Model>) return drain<kMode>(model);
    if constexpr (kMode == MarkMode::serial) return drain_alone(model);
    drain_together(model);
    return true;
  }

  // Drains with immediate or deferred marking, changing the mode with the marks' distance. Returns true when
  // all is drained, and false when others could help.
  bool drain_alone(Model& model) {
    for (;;) {
      const bool was_far = step_.distance().is_far();
      if (was_far ? drain_inlined<MarkMode::serial_deferred>(model) : drain_inlined<MarkMode::serial>(model))
        return true;
      if (step_.distance().is_far() == was_far) return false;
    }
  }

  void drain_together(Model& model) {
    while (!(step_.distance().is_far() ? drain_inlined<MarkMode::deferred>(model)
                                       : drain_inlined<MarkMode::immediate>(model)))
      continue;
  }

  // Visits tasks until the queue, the overflow list and the buffers are empty and no reference is deferred:
  // then it returns true. It returns false earlier when a worker alone finds that others could help, and when
  // marks turn out near or far and the mode must change.
  template <MarkMode kMode>
  bool drain(Model& model) {
    for (;;) {
      for (std::size_t left = kVisitsBetweenPolls; left != 0;) {
        const std::size_t visited = visit_some<kMode>(model);
        left -= std::min(left, visited);
        if (visited != 0) continue;
        if (!candidates_.is_empty()) {
          examine_now<kMode>(model);
        } else if (!step_.template mark_waiting<kMode>(model)) {
          return true;
        }
      }
      if (!poll<kMode>(model)) [[unlikely]]
        return false;
    }
  }

  // Inlines drain() with all its functions for a plain model: a compiler would not inline those that several
  // places call. A model with candidates chooses itself what is inlined.
  template <MarkMode kMode>
  [[gnu::flatten]] bool drain_inlined(Model& model) requires(!CandidateObjectModel<Model>) {
    return drain<kMode>(model);
  }
  template <MarkMode kMode>
  JACKDAW_ALWAYS_INLINE bool drain_inlined(Model& model) {
    return drain<kMode>(model);
  }

  // Polls between visits. Returns false when the worker must stop marking in this mode.
  template <MarkMode kMode>
  JACKDAW_ALWAYS_INLINE bool poll(Model& model) {
    if constexpr (is_serial(kMode)) {
      if (statistics_.references_visited >= poll_at_ && others_could_help()) return false;
      if constexpr (CandidateObjectModel<Model>) return true;
    } else {
      biased_regions().poll();
      // Relaxed: a hint.
      if (is_asked_.load(std::memory_order_relaxed)) [[unlikely]]
        answer_request();
      if (--polls_to_look_ == 0) [[unlikely]]
        look_for_callable();
    }
    if (!step_.distance().count_poll()) [[likely]]
      return true;
    step_.distance().note_marks(statistics_.references_visited, step_.marked());
    if constexpr (!is_deferred(kMode)) return sample_next_visit<kMode>(model);
    return step_.distance().is_far();
  }

  // Visits tasks that have waited for their memory. Returns how many.
  template <MarkMode kMode>
  JACKDAW_ALWAYS_INLINE std::size_t visit_some(Model& model) {
    if constexpr (kMode == MarkMode::deferred) {
      Task task{};
      if (!next_task<kMode>(model, task)) return 0;
      execute<kMode>(model, task);
      return 1;
    } else {
      auto& prefetched = tasks().prefetched();
      if (prefetched.size() < kLowTasks) {
        tasks().refill(model);
        if (const std::size_t visited = visit_if_narrow<kMode>(model)) return visited;
      }
      if constexpr (!CandidateObjectModel<Model>) {
        if (!counts_visits_) [[likely]]
          return visit_batch<kMode>(model);
      }
      const std::size_t count = tasks_at_once(prefetched.size());
      if (count == 1) ask_behind(model, prefetched.oldest_task());
      for (std::size_t left = count; left != 0;) {
        if (is_picked_from(model, prefetched.oldest_task())) {
          left -= pick_candidates<kMode>(model, left);
        } else {
          left -= visit_others<kMode>(model, left);
        }
      }
      return count;
    }
  }

  // Visits the oldest tasks and then, where few wait, some that these led to. Returns how many. Each visit
  // prefetches a task found a while ago: prefetched at once, a task whose mark the processor mispredicts as
  // unset would cost memory accesses in vain.
  template <MarkMode kMode>
  JACKDAW_ALWAYS_INLINE std::size_t visit_batch(Model& model) {
    BatchSink<kMode, typename Tasks::Prefetched::Exchanging> sink(*this, model);
    auto& waiting = sink.prefetched;
    std::size_t visited = 0;
    do {
      const std::size_t count = tasks_at_once(waiting.size());
      const bool are_all_asked = waiting.size() <= kAskedTasks;
      waiting.ask_on_entry(count + kAskedTasks);
      if (count == 1) ask_behind(model, waiting.task_after(0));
      for (std::size_t i = 0; i < count; ++i) {
        if (!are_all_asked) model.prefetch(waiting.task_after(kAskedTasks + i));
        model.visit(waiting.task_after(i), sink);
      }
      waiting.drop_oldest(count);
      visited += count;
    } while (visited < kVisitsBetweenPolls && waiting.size() != 0 && tasks().is_known_empty());
    sink.end();
    return visited;
  }

  // Prefetches what lies behind the task's object, as the task may be the only one.
  JACKDAW_ALWAYS_INLINE static void ask_behind([[maybe_unused]] const Model& model,
                                               [[maybe_unused]] Task task) {
    if constexpr (FollowingObjectModel<Model>) model.prefetch_following(task);
  }

  JACKDAW_ALWAYS_INLINE bool is_picked_from(const Model& model, Task task) const {
    if constexpr (CandidateObjectModel<Model>) {
      return model.is_picked_from(task) && !counts_visits_;
    } else {
      return false;
    }
  }

  // Picks candidates from at least one and at most `most` of the oldest tasks, the first of which allows it.
  // Returns how many.
  template <MarkMode kMode>
  JACKDAW_ALWAYS_INLINE std::size_t pick_candidates(Model& model, std::size_t most) {
    if constexpr (CandidateObjectModel<Model>) {
      const auto picked =
          model.pick_from(tasks().prefetched().oldest(most), candidates_.lacking(), candidates_.end());
      candidates_.set_size(candidates_.size() + picked.candidates);
      tasks().prefetched().drop_oldest(picked.tasks);
      if (candidates_.is_due()) examine_now<kMode>(model);
      return picked.tasks;
    } else {
      return most;
    }
  }

  // Visits small objects where the heap is narrow: all tasks wait in the prefetch buffer. Returns how many.
  template <MarkMode kMode>
  JACKDAW_ALWAYS_INLINE std::size_t visit_if_narrow([[maybe_unused]] Model& model) {
    if constexpr (CandidateObjectModel<Model>) {
      const auto& prefetched = tasks().prefetched();
      if (prefetched.size() >= kLowTasks || prefetched.size() == 0) return 0;
      if (counts_visits_ || !candidates_.is_empty()) return 0;
      if (prefetched.size() > kFewTasks && !model.is_picked_from(prefetched.oldest_task())) return 0;
      return visit_narrow<kMode>(model);
    } else {
      return 0;
    }
  }

  // References of untyped objects are marked at once, since the next visit waits for them. This is a function
  // of its own so that its loop has all registers, as the other loops have theirs.
  template <MarkMode kMode>
  [[gnu::noinline]] std::size_t visit_narrow(Model& model) {
    BatchSink<kMode, typename Tasks::Prefetched::Passing> sink(*this, model);
    auto& waiting = sink.prefetched;
    std::size_t visited = 0;
    for (; visited < kVisitsBetweenPolls && waiting.size() != 0; ++visited) {
      const Task task = waiting.task_after(0);
      if (waiting.size() <= kFewTasks) ask_behind(model, task);
      if (!model.visit_few_words(task, sink) && !model.visit_at_once(task, sink)) break;
      waiting.drop_oldest(1);
    }
    sink.end();
    return visited;
  }

  // Visits at least one and at most `most` of the oldest tasks, the first of which is not picked from.
  // Returns how many.
  template <MarkMode kMode>
  JACKDAW_ALWAYS_INLINE std::size_t visit_others(Model& model, std::size_t most) {
    if constexpr (CandidateObjectModel<Model>) {
      if (!counts_visits_) [[likely]] {
        BatchSink<kMode, typename Tasks::Prefetched::Passing> sink(*this, model);
        Task task{};
        bool is_visited = false;
        std::size_t left = most;
        do {
          task = sink.prefetched.task_after(0);
          sink.prefetched.drop_oldest(1);
          is_visited = model.visit_at_once(task, sink);
          --left;
        } while (is_visited && left != 0);
        sink.end();
        if (!is_visited) execute<kMode>(model, task);
        return most - left;
      }
    }
    execute<kMode>(model, tasks().prefetched().take_oldest());
    return 1;
  }

  template <MarkMode kMode>
  JACKDAW_ALWAYS_INLINE bool next_task(Model& model, Task& task) {
    if constexpr (kMode == MarkMode::deferred)
      return tasks().next_of_queue(model, task, !step_.awaits_marks());
    return tasks().next(model, task);
  }

  // Whether more tasks wait than one worker prefetches.
  [[gnu::noinline]] bool others_could_help() {
    poll_at_ = statistics_.references_visited + kReferencesBetweenPolls;
    const bool has_cut_objects =
        tasks().pushed_again() != std::exchange(parts_polled_, tasks().pushed_again());
    if (tasks().lasting() < tasks_for_others(has_cut_objects) && !team_.has_input()) return false;
    const std::uint64_t alone_until = team_.stays_alone_until(statistics_.references_visited);
    poll_at_ = std::max(poll_at_, alone_until);
    return alone_until == 0;
  }

  // To be called before a visit, when most tasks are held: those discovered earlier, and the one about to be
  // visited.
  [[gnu::noinline]] void note_visit(const Model& model, Task task) {
    statistics_.held_peak = std::max(statistics_.held_peak, tasks().held() + 1);
    if constexpr (PlacedObjectModel<Model>) {
      if (model.node_of(task) != team_.node_of(index_)) ++statistics_.visits_remote;
    }
  }

  template <MarkMode kMode>
  JACKDAW_ALWAYS_INLINE void execute(Model& model, Task task) {
    if (counts_visits_) [[unlikely]]
      note_visit(model, task);
    Sink<kMode> sink{this, &model};
    model.visit(task, sink);
    if (candidates_.is_due()) examine_now<kMode>(model);
  }

  // Returns whether marks are still near.
  template <MarkMode kMode>
  [[gnu::noinline]] bool sample_next_visit(Model& model) {
    Task task{};
    if (next_task<kMode>(model, task)) {
      if (counts_visits_) note_visit(model, task);
      bool is_first = true;
      SamplingSink<kMode> sink{{this, &model}, &is_first};
      model.visit(task, sink);
      if constexpr (CandidateObjectModel<Model>) model.examine(candidates_.take_all(), sink);
      if constexpr (!is_serial(kMode)) biased_regions().poll();
    }
    step_.distance().end_sampled_visit();
    return !step_.distance().is_far();
  }

  // Visits a task that did not pass through the queue. It polls for biases, as the loop does between visits.
  template <MarkMode kMode>
  void execute_at_once(Model& model, Task task) {
    ++statistics_.tasks_executed;
    execute<kMode>(model, task);
    if constexpr (!is_serial(kMode)) biased_regions().poll();
  }

  // Pushes a part of an object, or a stolen task, which may be one. If it cannot be stored it is visited at
  // once: a part has no mark by which it could be found again. Halves of an array nest no deeper than its
  // slice tree.
  template <MarkMode kMode>
  void keep(Model& model, Task task) {
    if (!tasks().push_again(task)) execute_at_once<kMode>(model, task);
  }

  // Offers tasks to thieves. The request stays while there are none. The thief that asked may have left
  // since, so the worker checks at its next poll whether to call one.
  [[gnu::noinline]] void answer_request() {
    if (!tasks().offer_tasks()) return;
    // Relaxed: a hint.
    is_asked_.store(false, std::memory_order_relaxed);
    polls_to_look_ = 1;
  }

  // If helpers can be called: offers tasks and calls one.
  [[gnu::noinline]] void look_for_callable() {
    const bool calls = team_.searchers_lacking() != 0 && tasks().offer_tasks() && team_.wake();
    polls_between_looks_ = calls ? 1 : std::min(2 * polls_between_looks_, kMostPollsBetweenLooks);
    polls_to_look_ = polls_between_looks_;
  }

  Team& team_;
  const std::uint32_t index_;
  WorkerStatistics statistics_;
  MarkStep<Model, Tasks, Team> step_;
  const bool counts_visits_;
  CandidateBuffer<Model> candidates_;
  std::uint64_t poll_at_ = 0;       // references visited at the next check, while alone
  std::uint64_t parts_polled_ = 0;  // parts of big objects pushed before the last poll
  std::uint32_t polls_to_look_ = 1;
  std::uint32_t polls_between_looks_ = 1;
  alignas(128) std::atomic<bool> is_asked_{false};  // for tasks, by thieves
};

}  // namespace jackdaw::mark
