// Worker: one mark thread's part of a round: the mark loop.
//
// A task's way: made when its object is marked; straight into the prefetch buffer while that has room; else
// pushed, and popped, newest first, into the prefetch buffer (mark/task_store.h); visited. A worker that runs
// dry steals (mark/work_search.h), and when there is nothing to steal it offers to end the round
// (mark/termination/). While other workers are hungry, a worker sees to it that there is something to steal.
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdint>
#include <span>
#include <utility>

#include "mark/always_inline.h"
#include "mark/candidate_buffer.h"
#include "mark/lease.h"
#include "mark/mark_distance.h"
#include "mark/mark_loop_constants.h"
#include "mark/marker_options.h"
#include "mark/object_model.h"
#include "mark/prefetch_buffer.h"
#include "mark/queue/queue.h"
#include "mark/set_aside.h"
#include "mark/statistics.h"
#include "mark/task_store.h"
#include "mark/termination/terminator.h"
#include "mark/victim/victim_policy.h"
#include "mark/work_search.h"

namespace jackdaw::mark {

/// One worker. `Team` is what the workers of a round share (see Marker): `queue_of(worker)`,
/// `leases_of(worker)`, `node_of(worker)`, `worker_count()`, `terminator()`, `wake()`, `claim_input(input)`,
/// `has_input()`.
///
/// queue() and leases() may be used by every worker of the team; run_round and run_alone are called on the
/// worker's own thread, all else between rounds.
template <ObjectModel Model, StealableQueue Queue, VictimPolicy Victim, typename Team>
class alignas(128) Worker {
 public:
  using Task = typename Model::Task;
  using Reference = typename Model::Reference;

  /// How many discovered references wait for their marks' memory.
  static constexpr std::size_t kMarkPrefetchDepth = 16;

  /// Throws std::invalid_argument for sizes out of range, and std::bad_alloc.
  Worker(Team& team, const MarkerOptions& options, const VictimSetup& setup)
      : team_(team),
        index_(setup.self),
        idle_workers_(team.terminator().idle_workers()),
        leases_(setup.self),
        tasks_(options),
        counts_held_tasks_(options.tuning.count_held_tasks),
        counts_remote_visits_(options.tuning.count_remote_visits),
        counts_visits_(options.tuning.count_held_tasks || options.tuning.count_remote_visits),
        search_(team, setup, options.tuning.steal_batch) {}

  /// The queue, for thieves.
  Queue& queue() { return tasks_.queue(); }
  /// The leases, for others that want to mark where this worker does.
  Leases& leases() { return leases_; }
  /// The counts of the last round.
  [[nodiscard]] const WorkerStatistics& statistics() const { return statistics_; }
  /// Whether a task was dropped in the last round because the overflow list could not grow.
  [[nodiscard]] bool dropped_tasks() const { return tasks_dropped_ != 0; }
  /// Bytes of the queue, and of the overflow list at its peak in the last round.
  [[nodiscard]] std::size_t memory_bytes() const { return tasks_.memory_bytes(); }

  /// Before every round, whether or not the worker will take part.
  void start_round() {
    statistics_ = {};
    leaves_marked_ = tasks_dropped_ = tasks_kept_ = tasks_executed_at_once_ = 0;
    tasks_.start_round();
    prefetched_before_ = prefetched_.put_so_far();
    leases_.start_round();
    distance_.start_round();
  }

  /// Marks while no other worker does: everything (true), or, after `references` references, until others
  /// could help (false). Then they are to be started, and this worker is to go on in run_round.
  bool run_alone(Model& model, std::uint64_t references) {
    look_around_at_ = references;
    if (!take_input<Way::alone>(model)) return false;
    finish_round();
    return true;
  }

  /// Works until the round is over.
  void run_round(Model& model) {
    take_input<Way::near>(model);
    drain_together(model);
    while (find_tasks(model)) drain_together(model);
    finish_round();
  }

 private:
  // How a worker marks, and where what it finds goes.
  enum class Way : std::uint8_t {
    alone,  // while no other worker marks: plainly and at once; straight to the prefetch buffer if it has
            // room
    near,   // beside others, marks being near: the same, but with leases or atomically
    far,    // beside others, marks being far: asked for, and set a while later; to the queue
  };

  // What visit() reports to: marks what a reference leads to and keeps it for later.
  template <Way kWay>
  struct Sink {
    Worker* self;
    Model* model;

    template <ReferenceTo<Reference> Found>
    JACKDAW_ALWAYS_INLINE void reference(Found found) {
      ++self->statistics_.references_visited;
      self->template discover<kWay>(*model, found);
    }
    void task(Task task) { self->template keep<kWay>(*model, task); }
    [[nodiscard]] std::uint32_t worker() const { return self->index_; }

    JACKDAW_ALWAYS_INLINE auto* candidates() requires CandidateObjectModel<Model> {
      return self->candidates_.data();
    }
    JACKDAW_ALWAYS_INLINE std::size_t candidate_count() requires CandidateObjectModel<Model> {
      return self->candidates_.size();
    }
    JACKDAW_ALWAYS_INLINE void set_candidate_count(std::size_t count) requires CandidateObjectModel<Model> {
      self->candidates_.set_size(count);
    }
    void make_room() requires CandidateObjectModel<Model> { self->template examine_now<kWay>(*model); }
  };

  // Of a visit that is sampled: times how long the first mark takes to come.
  struct SamplingSink : Sink<Way::near> {
    bool* is_first;

    template <ReferenceTo<Reference> Found>
    void reference(Found found) {
      if (std::exchange(*is_first, false)) {
        this->self->distance_.sample([&] {
          // The compiler must neither leave the read out nor move it away.
          const bool is_marked = this->model->is_marked(found);
          asm volatile("" : : "r"(is_marked) : "memory");
        });
      }
      Sink<Way::near>::reference(found);
    }
  };

  // Where the candidates that are references are reported to, many at a time: counts, and the prefetch
  // buffer's ends, stay in registers until the batch is over.
  template <Way kWay>
  struct BatchSink {
    Worker* worker;
    Model* model;
    typename PrefetchBuffer<Task, kPrefetchDepth>::Filling prefetched;
    std::uint64_t leaves = 0;
    std::uint64_t references = 0;

    BatchSink(Worker& worker, Model& model)
        : worker(&worker), model(&model), prefetched(worker.prefetched_) {}
    template <ReferenceTo<Reference> Found>
    JACKDAW_ALWAYS_INLINE void reference(Found found) {
      ++references;
      worker->template mark<kWay>(*model, found, prefetched, leaves);
    }
    void end() {
      prefetched.end();
      worker->leaves_marked_ += leaves;
      worker->statistics_.references_visited += references;
    }
  };

  // Finds out which of the candidates are references, and marks what they lead to.
  template <Way kWay>
  [[gnu::noinline]] void examine_now(Model& model) {
    if constexpr (!CandidateObjectModel<Model>) {
      return;
    } else if constexpr (kWay == Way::far) {
      Sink<kWay> sink{this, &model};
      model.examine(candidates_.take_all(), sink);
    } else {
      BatchSink<kWay> sink(*this, model);
      model.examine(candidates_.take_all(), sink);
      sink.end();
    }
  }

  template <Way kWay, ReferenceTo<Reference> Found>
  JACKDAW_ALWAYS_INLINE void discover(Model& model, Found found) {
    if constexpr (kWay == Way::far) {
      Reference reference = found;
      model.prefetch_mark(reference);
      if (discovered_.exchange(reference)) mark<kWay>(model, reference);
    } else {
      mark<kWay>(model, found);
    }
  }

  template <Way kWay, ReferenceTo<Reference> Found>
  JACKDAW_ALWAYS_INLINE void mark(Model& model, Found reference) {
    mark<kWay>(model, reference, prefetched_, leaves_marked_);
  }

  // `prefetched` takes what is found, while it has room, and `leaves` counts leaves.
  template <Way kWay, ReferenceTo<Reference> Found, typename Prefetched>
  JACKDAW_ALWAYS_INLINE void mark(Model& model, Found reference, Prefetched& prefetched,
                                  std::uint64_t& leaves) {
    MarkingRight right = kWay == Way::alone ? MarkingRight::exclusive : MarkingRight::shared;
    if constexpr (kWay != Way::alone && LeasingObjectModel<Model>) {
      right = right_to_mark(model, reference);
      if (right == MarkingRight::none) [[unlikely]] {
        set_aside(model, reference);
        return;
      }
    }
    mark_by<kWay>(right, model, reference, prefetched, leaves);
  }

  template <ReferenceTo<Reference> Found>
  JACKDAW_ALWAYS_INLINE MarkingRight right_to_mark(Model& model, Found reference) {
    return leases_.right_to_mark(model.lease_word_of(reference),
                                 [this](std::uint32_t worker) -> Leases& { return team_.leases_of(worker); });
  }

  template <Way kWay, ReferenceTo<Reference> Found, typename Prefetched>
  JACKDAW_ALWAYS_INLINE void mark_by(MarkingRight right, Model& model, Found reference,
                                     Prefetched& prefetched, std::uint64_t& leaves) {
    const bool newly_marked = right == MarkingRight::exclusive
                                  ? model.template try_mark<Sharing::exclusive>(reference)
                                  : model.template try_mark<Sharing::shared>(reference);
    if (!newly_marked) return;
    if constexpr (LeafObjectModel<Model>) {
      if (model.is_leaf(reference)) {
        ++leaves;
        return;
      }
    }
    const Task task = model.task_of(reference);
    if constexpr (kWay != Way::far) {
      if (!prefetched.is_full()) {
        prefetch(model, task, reference);
        prefetched.put(task);
        return;
      }
    }
    // A task that cannot be kept is dropped, and the collector is told: its object is marked, so it can be
    // found and visited again.
    if (!tasks_.push(task)) ++tasks_dropped_;
  }

  template <ReferenceTo<Reference> Found>
  JACKDAW_ALWAYS_INLINE static void prefetch(Model& model, Task task, Found found) {
    if constexpr (requires { model.prefetch(task, found); }) {
      model.prefetch(task, found);
    } else {
      model.prefetch(task);
    }
  }

  // Keeps a reference until the lease that stands in its way has ended.
  [[gnu::noinline]] void set_aside(Model& model, Reference reference) {
    ++statistics_.references_set_aside;
    if (set_aside_.is_full()) wait_out_leases(model);
    set_aside_.put(reference);
  }

  // Returns when at least one of the references that were set aside has got through.
  void wait_out_leases(Model& model) {
    const auto waiting_since = std::chrono::steady_clock::now();
    while (!retry_set_aside(model)) set_aside_.pause();
    statistics_.idle += std::chrono::steady_clock::now() - waiting_since;
  }

  // Meanwhile others may wait for this worker's leases.
  bool retry_set_aside(Model& model) {
    leases_.poll();
    return set_aside_.retry([&](Reference reference) {
      const MarkingRight right = right_to_mark(model, reference);
      if (right == MarkingRight::none) return false;
      mark_by<Way::far>(right, model, reference, prefetched_, leaves_marked_);
      return true;
    });
  }

  void finish_round() {
    tasks_.finish_round(statistics_);
    // What the mark loop does not count, because it follows from what it counts. All that is popped goes into
    // the prefetch buffer, too.
    statistics_.direct = prefetched_.put_so_far() - prefetched_before_ - statistics_.pops;
    statistics_.objects_marked =
        leaves_marked_ + statistics_.direct + (statistics_.pushes - tasks_kept_) + tasks_dropped_;
    statistics_.tasks_executed = statistics_.direct + statistics_.pops + tasks_executed_at_once_;
  }

  // Claims the round's roots, and the objects to visit again, piece by piece, as the other workers do.
  // Returns what drain() did.
  template <Way kWay>
  bool take_input(Model& model) {
    typename Team::Input input;
    while (team_.claim_input(input)) {
      for (const Reference root : input.roots) mark<kWay>(model, root);
      // At once, not by way of the queue: what the queue dropped again would never be visited.
      for (const Task task : input.revisits) {
        execute_at_once<kWay>(model, task);
        // A round with revisits that begins alone stays so (Marker::mark_alone): to stop here would lose
        // some.
        [[maybe_unused]] const bool is_drained = drain_in<kWay>(model);
        assert(is_drained);
      }
      if (!drain_in<kWay>(model)) return false;
    }
    return true;
  }

  template <Way kWay>
  bool drain_in(Model& model) {
    if constexpr (kWay == Way::alone) return drain<Way::alone>(model);
    drain_together(model);
    return true;
  }

  void drain_together(Model& model) {
    while (!(distance_.is_far() ? drain<Way::far>(model) : drain<Way::near>(model))) continue;
  }

  // Visits until the queue, the overflow list and the buffers are empty and no reference is set aside (true).
  // Stops earlier (false) when a worker alone finds that others could help, and beside others when it is time
  // to go on in the other way.
  template <Way kWay>
  bool drain(Model& model) {
    for (;;) {
      for (std::size_t left = kVisitsBetweenLooks; left != 0;) {
        const std::size_t visited = visit_some<kWay>(model);
        left -= std::min(left, visited);
        if (visited != 0) continue;
        if (!candidates_.is_empty()) {
          examine_now<kWay>(model);
        } else if (!mark_waiting(model)) {
          return true;
        }
      }
      if (!look_around<kWay>(model)) [[unlikely]]
        return false;
    }
  }

  // What a worker does between some visits and the next. False: it is to stop marking in this way.
  template <Way kWay>
  JACKDAW_ALWAYS_INLINE bool look_around(Model& model) {
    if constexpr (kWay == Way::alone) {
      return statistics_.references_visited < look_around_at_ || !others_could_help();
    } else {
      leases_.poll();
      if (somebody_is_hungry()) [[unlikely]]
        share();
      if (!distance_.count_look()) [[likely]]
        return true;
      if constexpr (kWay == Way::near) return sample_next_visit(model);
      distance_.take_as_near();
      return false;
    }
  }

  // Visits tasks that have waited for their memory; how many.
  template <Way kWay>
  JACKDAW_ALWAYS_INLINE std::size_t visit_some(Model& model) {
    if constexpr (kWay == Way::far) {
      Task task{};
      if (!next_task<kWay>(model, task)) return 0;
      execute<kWay>(model, task);
      return 1;
    } else {
      if (prefetched_.size() < kLowTasks) refill(model);
      const std::size_t count = tasks_at_once(prefetched_.size());
      for (std::size_t left = count; left != 0;) {
        if (is_picked_from(model, prefetched_.oldest_task())) {
          left -= pick_candidates<kWay>(model, left);
        } else {
          execute<kWay>(model, prefetched_.take_oldest());
          --left;
        }
      }
      return count;
    }
  }

  JACKDAW_ALWAYS_INLINE bool is_picked_from(const Model& model, Task task) const {
    if constexpr (CandidateObjectModel<Model>) {
      return model.is_picked_from(task) && !counts_visits_;
    } else {
      return false;
    }
  }

  // Visits at least one and at most `most` of the tasks that have waited longest, the first of which is
  // picked from. How many.
  template <Way kWay>
  JACKDAW_ALWAYS_INLINE std::size_t pick_candidates(Model& model, std::size_t most) {
    if constexpr (CandidateObjectModel<Model>) {
      const auto picked = model.pick_from(prefetched_.oldest(most), candidates_.lacking(), candidates_.end());
      candidates_.set_size(candidates_.size() + picked.candidates);
      prefetched_.drop_oldest(picked.tasks);
      if (candidates_.is_due()) examine_now<kWay>(model);
      return picked.tasks;
    } else {
      return most;
    }
  }

  // The next task to visit; false when there is none.
  template <Way kWay>
  JACKDAW_ALWAYS_INLINE bool next_task(Model& model, Task& task) {
    if constexpr (kWay != Way::far) {
      if (prefetched_.size() >= kLowTasks) [[likely]] {
        task = prefetched_.take_oldest();
        return true;
      }
      refill(model);
      return prefetched_.take(task);
    }
    while (tasks_.pop(task)) {
      model.prefetch(task);
      if (prefetched_.exchange(task)) return true;
    }
    return discovered_.size() == 0 && prefetched_.take(task);
  }

  // Moves tasks from the queue to the prefetch buffer when that runs low.
  JACKDAW_ALWAYS_INLINE void refill(Model& model) {
    Task task{};
    while (prefetched_.size() < kRefilledTasks && tasks_.pop(task)) {
      model.prefetch(task);
      prefetched_.put(task);
      if constexpr (SlicingObjectModel<Model>) {
        if (model.is_slice(task)) return;
      }
    }
  }

  // Marks a reference that waits. False when none does.
  bool mark_waiting(Model& model) {
    Reference reference{};
    if (discovered_.take(reference)) {
      mark<Way::far>(model, reference);
      return true;
    }
    if (set_aside_.is_empty()) return false;
    if constexpr (LeasingObjectModel<Model>) wait_out_leases(model);
    return true;
  }

  // Whether more tasks wait than those that a worker on its own has under way.
  [[gnu::noinline]] bool others_could_help() {
    look_around_at_ = statistics_.references_visited + kReferencesBetweenLooks;
    return tasks_.lasting() >= kTasksForOthers || team_.has_input();
  }

  // The most is held before a visit: what was discovered earlier, and the task that is visited now.
  void note_held_tasks() {
    statistics_.held_peak = std::max(statistics_.held_peak, tasks_.held() + prefetched_.size() + 1);
  }

  [[gnu::noinline]] void note_visit(const Model& model, Task task) {
    if (counts_held_tasks_) note_held_tasks();
    if constexpr (PlacedObjectModel<Model>) {
      if (counts_remote_visits_ && model.node_of(task) != team_.node_of(index_)) ++statistics_.visits_remote;
    }
  }

  template <Way kWay>
  JACKDAW_ALWAYS_INLINE void execute(Model& model, Task task) {
    if (counts_visits_) [[unlikely]]
      note_visit(model, task);
    Sink<kWay> sink{this, &model};
    model.visit(task, sink);
    if (candidates_.is_due()) examine_now<kWay>(model);
  }

  // Returns whether marks are still near.
  [[gnu::noinline]] bool sample_next_visit(Model& model) {
    Task task{};
    if (next_task<Way::near>(model, task)) {
      if (counts_visits_) note_visit(model, task);
      bool is_first = true;
      SamplingSink sink{{this, &model}, &is_first};
      model.visit(task, sink);
      if constexpr (CandidateObjectModel<Model>) model.examine(candidates_.take_all(), sink);
      leases_.poll();
    }
    distance_.end_sampled_visit();
    return !distance_.is_far();
  }

  // A task that did not come by way of the queue: the mark loop answers for leases at every look around, and
  // so does this.
  template <Way kWay>
  void execute_at_once(Model& model, Task task) {
    ++tasks_executed_at_once_;
    execute<kWay>(model, task);
    if constexpr (kWay != Way::alone) leases_.poll();
  }

  // Keeps a part, or what somebody else made, which may be a part. What cannot be kept is visited here and
  // now: parts have no marks by which they could be found again. The halves of an array nest no deeper than
  // its slice tree.
  template <Way kWay>
  void keep(Model& model, Task task) {
    if (tasks_.push(task)) {
      ++tasks_kept_;
    } else {
      execute_at_once<kWay>(model, task);
    }
  }

  void keep_all(Model& model, std::span<const Task> tasks) {
    for (const Task task : tasks) keep<Way::near>(model, task);
  }

  // Relaxed: a hint, asked again at every look around.
  [[nodiscard]] bool somebody_is_hungry() const { return idle_workers_.load(std::memory_order_relaxed) != 0; }

  // Somebody is hungry: see to it that this worker offers something, and that somebody is awake to take it.
  [[gnu::noinline]] void share() {
    if (tasks_.offer_tasks()) team_.wake();
  }

  // The worker is dry: finds tasks elsewhere, or learns that the round is over (false).
  bool find_tasks(Model& model) {
    const auto dry_since = std::chrono::steady_clock::now();
    leases_.give_up();
    search_.start();
    std::span<const Task> found = search_.try_to_steal(statistics_);
    while (found.empty()) {
      if (team_.terminator().offer(index_, [this] { return search_.work_in_sight(); })) break;
      found = search_.try_to_steal(statistics_);
    }
    statistics_.idle += std::chrono::steady_clock::now() - dry_since;
    keep_all(model, found);
    return !found.empty();
  }

  Team& team_;
  const std::uint32_t index_;
  const std::atomic<std::uint32_t>& idle_workers_;  // the terminator's
  Leases leases_;
  TaskStore<Task, Queue> tasks_;
  const bool counts_held_tasks_;
  const bool counts_remote_visits_;
  const bool counts_visits_;  // either of the two
  PrefetchBuffer<Reference, kMarkPrefetchDepth> discovered_;
  PrefetchBuffer<Task, kPrefetchDepth> prefetched_;
  CandidateBuffer<Model> candidates_;
  MarkDistance distance_;
  SetAside<Reference> set_aside_;
  std::uint64_t look_around_at_ = 0;  // references visited, while alone
  WorkSearch<Task, Queue, Victim, Team> search_;
  WorkerStatistics statistics_;
  std::uint64_t prefetched_before_ = 0;
  std::uint64_t leaves_marked_ = 0;
  std::uint64_t tasks_dropped_ = 0;
  std::uint64_t tasks_kept_ = 0;  // pushed, but not when found: parts, and what others made
  std::uint64_t tasks_executed_at_once_ = 0;
};

}  // namespace jackdaw::mark
