// Team: the workers of an engine, and what each needs of the others.
//
// The first worker is the collecting thread; the others are helpers of a thread pool (mark/thread_pool.h),
// which are called one by one as there is work for them. Worker is a template over its team, so that one
// worker can be measured, or model-checked, in a stand-in team.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "base/throw_or_end.h"
#include "mark/backoff.h"
#include "mark/biased_regions.h"
#include "mark/mark_loop_constants.h"
#include "mark/marker_options.h"
#include "mark/object_model.h"
#include "mark/queue/queue.h"
#include "mark/round_input.h"
#include "mark/searchers.h"
#include "mark/team_benefit.h"
#include "mark/thread_pool.h"
#include "mark/victim/victim_policy.h"
#include "mark/worker.h"

namespace jackdaw::mark {

template <ObjectModel Model, StealableQueue Queue, VictimPolicy Victim>
class Team {
 public:
  using Task = typename Model::Task;
  using Reference = typename Model::Reference;
  using TeamWorker = Worker<Model, Queue, Victim, Team>;

  /// Starts the helpers. Throws what Marker's constructor throws.
  Team(const MarkerOptions& options, const VictimMaker<Victim>& make_victim)
      : pool_(options.threads, options.on_helper_start),
        nodes_(options.nodes),
        serial_references_(options.tuning.serial_references),
        processors_(options.processors != 0 ? options.processors : std::thread::hardware_concurrency()),
        benefit_(options.tuning.small_round_references),
        searchers_(Backoff(size() > processors_)) {
    nodes_.resize(std::max(pool_.size(), 2U), 0);
    make_workers(options, make_victim);
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // ---- for the engine, between rounds ----

  ThreadPool& pool() { return pool_; }
  [[nodiscard]] const ThreadPool& pool() const { return pool_; }
  TeamWorker& worker(std::uint32_t number) { return *workers_[number]; }
  [[nodiscard]] const TeamWorker& worker(std::uint32_t number) const { return *workers_[number]; }
  /// Returns the most workers of the next round: those beyond the number of processors would only take turns.
  [[nodiscard]] std::uint32_t size() const {
    const std::uint32_t most = std::min(pool_.size(), most_workers_);
    return serial_references_ == 0 ? most : std::min(most, std::max(2U, processors_));
  }
  void set_most_workers(std::uint32_t workers) { most_workers_ = workers; }
  [[nodiscard]] std::uint32_t processors() const { return std::max(1U, processors_); }
  /// Returns how many references the first worker follows alone; 0: all workers begin at once.
  [[nodiscard]] std::uint64_t serial_references() const { return serial_references_; }
  /// Returns the judgement on whether several workers are faster than one.
  TeamBenefit& benefit() { return benefit_; }

  /// `is_timed`: the first worker asks stays_alone() during the round. In a fork's child the helpers are
  /// forgotten.
  void start_round(std::span<const Reference> roots, std::span<const Task> rescans, bool is_timed) {
    input_.start_round(roots, rescans);
    for (std::uint32_t i = 0; i < workers_used_; ++i) workers_[i]->start_round();
    is_timed_ = is_timed;
    if (is_timed) round_start_ = Clock::now();
    pool_.forget_helpers_after_fork();
  }
  /// Marks by the first worker alone. Returns whether it marked everything.
  bool mark_serially(Model& model) {
    const bool is_always_serial = size() == 1;
    // A round with rescans is long enough for all workers.
    if (!is_always_serial && (serial_references_ == 0 || input_.has_rescans())) return false;
    return workers_[0]->run_serially(model, is_always_serial ? kForGood : serial_references_);
  }
  /// Marks with all workers that are called.
  void mark_together(Model& model) {
    if constexpr (Queue::kServesThieves) {
      searchers_.start_round();
      const auto part = [&](std::uint32_t worker) { workers_[worker]->take_part(model); };
      serial_references_ != 0 ? pool_.run_on_call(part, size()) : pool_.run(part, size());
      workers_used_ = std::max(workers_used_, pool_.called());
    }
  }
  /// Returns a bound on the numbers of all workers that were ever called.
  [[nodiscard]] std::uint32_t workers_used() const { return workers_used_; }
  /// Returns the nanoseconds since the start of a timed round.
  [[nodiscard]] double time_of_round() const {
    return std::chrono::duration<double, std::nano>(Clock::now() - round_start_).count();
  }

  // ---- for its workers, during a round ----

  using Input = typename RoundInput<Reference, Task>::Piece;

  bool claim_input(Input& piece) { return input_.claim(piece); }
  [[nodiscard]] bool has_input() const { return input_.is_left(); }

  Queue& queue_of(std::uint32_t worker) { return workers_[worker]->queue(); }
  BiasedRegions& biased_regions_of(std::uint32_t worker) { return workers_[worker]->biased_regions(); }
  void request_tasks_of(std::uint32_t worker) { workers_[worker]->request_tasks(); }
  [[nodiscard]] std::uint32_t node_of(std::uint32_t worker) const { return nodes_[worker]; }

  [[nodiscard]] std::uint32_t worker_count() const { return static_cast<std::uint32_t>(workers_.size()); }
  /// Only workers numbered below called() take part in the round; at_work() of them have not left it.
  [[nodiscard]] std::uint32_t called() const { return pool_.called(); }
  [[nodiscard]] std::uint32_t at_work() const { return pool_.at_work(); }
  Searchers& searchers() { return searchers_; }

  /// Returns the most workers that may be on their way, given how many search; 0 when no helper can be
  /// called.
  [[nodiscard]] std::uint32_t searchers_lacking() const {
    const std::uint32_t least = least_searchers(pool_.at_work());
    if (pool_.callable(least) == 0) return 0;
    const std::uint32_t lacking = least - std::min(least, searchers_.count());
    return pool_.callable(lacking) == 0 ? 0 : lacking;
  }
  /// Calls a helper, as there may be something to steal, unless enough workers search. Returns whether it
  /// did.
  bool wake() {
    const std::uint32_t lacking = searchers_lacking();
    return lacking != 0 && pool_.call(lacking);
  }
  /// Called when the first worker has followed `references` references and others could help it. Returns the
  /// number of references up to which it continues alone; 0: others are to help now.
  std::uint64_t stays_alone_until(std::uint64_t references) {
    if (!is_timed_) {
      const std::uint64_t most = benefit_.references_alone_in_further_round();
      return references < most ? most : 0;
    }
    if (!benefit_.is_alone() || !benefit_.goes_on_alone(references, time_of_round())) return 0;
    return references + std::max(kReferencesBetweenPolls, benefit_.references_between_checks());
  }

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr std::uint64_t kForGood = std::numeric_limits<std::uint64_t>::max();

  [[nodiscard]] bool has_several_nodes() const {
    return std::ranges::adjacent_find(nodes_, std::not_equal_to()) != nodes_.end();
  }

  // Where there are several memory nodes, each worker is made by its own thread, so that its queue and its
  // counts lie on that thread's node: a page lies where it is first written.
  void make_workers(const MarkerOptions& options, const VictimMaker<Victim>& make_victim) {
    workers_.resize(pool_.size());
    std::vector<std::exception_ptr> failures(workers_.size());
    const auto make = [&](std::uint32_t i) {
      failures[i] = base::catch_from([&] {
        const VictimSetup setup{.self = i,
                                .workers = std::max(pool_.size(), 2U),
                                .seed = options.seed * 1000003 + i,
                                .nodes = nodes_,
                                .node_distances = options.node_distances};
        workers_[i] = std::make_unique<TeamWorker>(*this, options, setup, make_victim);
      });
    };
    if (has_several_nodes()) {
      pool_.run(make);
    } else {
      for (std::uint32_t i = 0; i < workers_.size(); ++i) make(i);
    }
    for (const std::exception_ptr& failure : failures) {
      if (failure != nullptr) std::rethrow_exception(failure);
    }
  }

  ThreadPool pool_;
  std::vector<std::uint32_t> nodes_;  // one for each worker
  const std::uint64_t serial_references_;
  std::uint32_t most_workers_ = std::numeric_limits<std::uint32_t>::max();
  const std::uint32_t processors_;  // read once, as it takes system calls
  bool is_timed_ = false;           // whether the round is
  Clock::time_point round_start_;   // if it is timed
  TeamBenefit benefit_;
  std::vector<std::unique_ptr<TeamWorker>> workers_;
  std::uint32_t workers_used_ = 1;
  Searchers searchers_;
  RoundInput<Reference, Task> input_;
};

}  // namespace jackdaw::mark
