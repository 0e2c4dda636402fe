// Marker: the parallel marking engine, which marks everything that can be reached from the roots.
//
// An engine knows no heap: it is a template over an object model, a queue and a victim policy. Make one and
// keep it: its threads, queues and statistics last from collection to collection.
//
// Sources: Blumofe and Leiserson (JACM 1999) for work stealing, Wang et al. (OSDI 2023) for the queues, and
// Hassanein (ISMM 2016) for idle workers.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mark/checked_options.h"
#include "mark/mark_loop_constants.h"
#include "mark/marker_base.h"
#include "mark/marker_options.h"
#include "mark/object_model.h"
#include "mark/queue/bwos_lifo.h"
#include "mark/queue/queue.h"
#include "mark/statistics.h"
#include "mark/team.h"
#include "mark/thread_pool.h"
#include "mark/time_line.h"
#include "mark/victim/numa_probabilistic.h"
#include "mark/victim/victim_policy.h"

namespace jackdaw::mark {

/// The engine. MarkerBase says what it does beside mark().
template <ObjectModel Model, StealableQueue Queue = BwosLifo<typename Model::Task>,
          VictimPolicy Victim = NumaProbabilisticVictim>
class Marker final : public MarkerBase {
 public:
  using Task = typename Model::Task;
  using Reference = typename Model::Reference;

  static_assert(kBiasWordFits<Model>, "bias_word_of(reference) must return std::atomic<std::uint32_t>&");
  static_assert(kSliceFits<Model>, "is_slice(task) must be const and return bool");
  static_assert(kFollowingFits<Model>, "prefetch_following(task) must be const and take a task");
  static_assert(kNodeFits<Model>, "node_of(task) must be const and return std::uint32_t");
  static_assert(kCandidatesFit<Model>, "a model with a Candidate must be a CandidateObjectModel");

  /// Starts the mark threads. Throws std::invalid_argument for numbers out of range, and for several threads
  /// with a queue that serves no thieves, and std::bad_alloc. Where threads cannot be started there are fewer
  /// workers, and a warning on stderr.
  explicit Marker(const MarkerOptions& options)
      : Marker(options, [](const VictimSetup& setup) { return Victim(setup); }) {}
  /// Makes each worker's victim policy by `make_victim`, and passes on what that throws. Where there are
  /// several memory nodes all workers call it at once.
  Marker(const MarkerOptions& options, const VictimMaker<Victim>& make_victim)
      : team_(checked(options, Queue::kServesThieves), make_victim),
        statistics_(team_.pool().size()),
        time_line_(options.time_line) {}

  void set_most_workers(std::uint32_t workers) override { team_.set_most_workers(workers); }

  using MarkerBase::wake_helpers;
  void wake_helpers(std::uint32_t least) override {
    knows_markings_ = begins_marking_ = true;
    team_.benefit().start_marking();
    const std::uint32_t others = std::min(team_.size(), team_.processors()) - 1;
    // If no mark() came after the last call, its helpers still count as woken.
    if (helpers_woken_ == 0 && !team_.benefit().is_alone()) {
      const std::uint64_t tried =
          team_.benefit().tries_team() ? references_of_main_round_ / (2 * kReferencesToBeWoken) : 0;
      const std::uint64_t wanted = std::max<std::uint64_t>(std::exchange(useful_helpers_, 0), tried);
      helpers_woken_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, others));
    }
    helpers_woken_ = std::max(helpers_woken_, std::min(least, others));
    if (helpers_woken_ != 0) team_.pool().wake_ahead(helpers_woken_);
  }

  void share(ThreadPool::Job part, std::uint32_t parts) override {
    share_with(helpers_woken_, part, parts);
    if (helpers_woken_ != 0) team_.pool().wake_ahead(helpers_woken_);
  }

  void share_with_all(ThreadPool::Job part, std::uint32_t parts) override {
    const std::uint32_t helpers =
        std::min({team_.pool().size(), team_.processors(), std::max(1U, parts)}) - 1;
    if (helpers != 0) team_.pool().wake_ahead(helpers);
    share_with(helpers, part, parts);
  }

  /// Marks everything that can be reached from `roots`, none of them null, or, to continue a marking that
  /// dropped tasks, from the marked objects whose tasks are in `rescans`. Returns false if there was no
  /// memory for some tasks: then call it with the tasks of all marked objects, in pieces of any size, until
  /// it returns true for each piece of a pass. Roots and model must not change meanwhile. One call at a time.
  ///
  /// It may be called several times in a collection, with further roots: values of ephemerons whose keys
  /// turned out live, and then objects with finalizers. Weak references are cleared after the last call.
  ///
  /// In a fork's child there are no helpers: the caller marks alone.
  bool mark(Model& model, std::span<const Reference> roots, std::span<const Task> rescans = {}) noexcept {
    if (!knows_markings_) team_.benefit().start_marking();
    const bool is_timed = begins_marking_ && team_.size() > 1 && team_.serial_references() != 0;
    team_.start_round(roots, rescans, is_timed);
    if (time_line_ != nullptr) start_time_line();
    const bool others_are_awake = std::exchange(helpers_woken_, 0) != 0 && team_.pool().size() != 1;
    const bool is_together = others_are_awake || !team_.mark_serially(model);
    if (is_together) team_.mark_together(model);
    if (time_line_ != nullptr) end_time_line(is_together ? team_.called() : 1);
    const bool complete = gather_statistics();
    if (is_timed && references_of_main_round_ >= team_.serial_references())
      team_.benefit().finish(references_of_main_round_, team_.time_of_round(), is_together);
    return complete;
  }

  [[nodiscard]] std::span<const WorkerStatistics> statistics() const override { return statistics_; }
  [[nodiscard]] std::span<const std::uint32_t> steals_by_victim(std::uint32_t worker) const override {
    return team_.worker(worker).steals_by_victim().first(worker_count());
  }
  [[nodiscard]] std::uint32_t worker_count() const override { return team_.worker_count(); }
  [[nodiscard]] std::chrono::nanoseconds helpers_time() const override { return team_.pool().helpers_time(); }
  [[nodiscard]] std::size_t memory_bytes() const override {
    std::size_t bytes = 0;
    for (std::uint32_t i = 0; i < worker_count(); ++i) bytes += team_.worker(i).memory_bytes();
    return bytes;
  }

 private:
  using Clock = std::chrono::steady_clock;

  // Shares parts among this thread and those of `helpers` helpers that are awake.
  void share_with(std::uint32_t helpers, ThreadPool::Job part, std::uint32_t parts) {
    std::atomic<std::uint32_t> next{0};
    // Relaxed: only the number matters; the pool publishes the work.
    const auto take_parts = [&](std::uint32_t) {
      for (std::uint32_t i = 0; (i = next.fetch_add(1, std::memory_order_relaxed)) < parts;) part(i);
    };
    team_.pool().forget_helpers_after_fork();
    helpers = std::min({helpers, team_.pool().size() - 1, std::max(1U, parts) - 1});
    if (helpers == 0) return take_parts(0);
    team_.pool().run_on_call(take_parts, helpers + 1);
  }

  void start_time_line() {
    const Clock::time_point now = Clock::now();
    for (std::uint32_t i = 0; i < worker_count(); ++i)
      time_line_->of(i).start_round(i == 0 ? Activity::work : Activity::sleep, now);
  }
  void end_time_line(std::uint32_t called) {
    const Clock::time_point now = Clock::now();
    for (std::uint32_t i = 0; i < called; ++i) time_line_->of(i).end_round(now);
  }

  // Gathers the workers' counts after a round. Returns whether nothing was dropped.
  bool gather_statistics() {
    std::uint64_t references_of_round = 0;
    std::uint32_t useful_helpers = 0;
    bool complete = true;
    for (std::uint32_t i = 0; i < team_.workers_used(); ++i) {
      team_.worker(i).finish_round();
      statistics_[i] = team_.worker(i).statistics();
      references_of_round += statistics_[i].references_visited;
      complete = complete && !team_.worker(i).dropped_tasks();
    }
    const std::uint64_t useful = std::min(kReferencesToBeWoken, references_of_round / 4);
    for (std::uint32_t i = 1; i < team_.workers_used(); ++i) {
      if (statistics_[i].references_visited >= useful) ++useful_helpers;
    }
    if (references_of_round >= team_.serial_references())
      useful_helpers_ = std::max(useful_helpers_, useful_helpers);
    if (std::exchange(begins_marking_, !knows_markings_)) references_of_main_round_ = 0;
    references_of_main_round_ = std::max(references_of_main_round_, references_of_round);
    return complete;
  }

  Team<Model, Queue, Victim> team_;
  bool knows_markings_ = false;                 // wake_helpers() begins markings; else each round is one
  bool begins_marking_ = true;                  // the next round does
  std::uint64_t references_of_main_round_ = 0;  // the most of a round of the present marking
  std::uint32_t useful_helpers_ = 0;            // the most of a round since wake_helpers()
  std::uint32_t helpers_woken_ = 0;             // for the next round
  std::vector<WorkerStatistics> statistics_;
  TimeLine* const time_line_;
};

}  // namespace jackdaw::mark
