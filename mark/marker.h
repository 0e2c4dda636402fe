// Marker: the parallel marking engine. It marks everything that can be reached from the roots, on every
// worker.
//
// An engine knows no heap: it is a template over an object model, a queue and a victim policy.
// Make one and keep it: its threads, queues and statistics last from collection to collection.
//
// Source of the whole: work stealing after Blumofe and Leiserson (JACM 1999) with the queues of Wang et al.
// (OSDI 2023); idle workers as Hassanein has them (ISMM 2016).
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "base/throw_or_end.h"
#include "mark/mark_loop_constants.h"
#include "mark/marker_options.h"
#include "mark/object_model.h"
#include "mark/queue/bwos_lifo.h"
#include "mark/queue/queue.h"
#include "mark/searchers.h"
#include "mark/statistics.h"
#include "mark/team_benefit.h"
#include "mark/thread_pool.h"
#include "mark/time_line.h"
#include "mark/victim/numa_probabilistic.h"
#include "mark/victim/victim_policy.h"
#include "mark/worker.h"

namespace jackdaw::mark {

/// The engine.
template <ObjectModel Model, StealableQueue Queue = BwosLifo<typename Model::Task>,
          VictimPolicy Victim = NumaProbabilisticVictim>
class Marker {
 public:
  using Task = typename Model::Task;
  using Reference = typename Model::Reference;

  static_assert(kBiasWordFits<Model>, "bias_word_of(reference) must return std::atomic<std::uint32_t>&");
  static_assert(kSliceFits<Model>, "is_slice(task) must be const and return bool");
  static_assert(kNodeFits<Model>, "node_of(task) must be const and return std::uint32_t");
  static_assert(kCandidatesFit<Model>, "a model with a Candidate must be a CandidateObjectModel");

  /// Starts the mark threads. Throws std::invalid_argument for numbers out of range and for several threads
  /// with a queue that serves one, and std::bad_alloc. When threads cannot be started there are fewer workers
  /// and a warning on stderr.
  explicit Marker(const MarkerOptions& options)
      : Marker(options, [](const VictimSetup& setup) { return Victim(setup); }) {}
  /// Also lets `make_victim` make each worker's victim policy; what it throws is thrown. Where there are
  /// several memory nodes it is called by all workers at once.
  Marker(const MarkerOptions& options, const VictimMaker<Victim>& make_victim)
      : pool_(checked(options).threads, options.on_helper_start),
        nodes_(options.nodes),
        serial_references_(options.tuning.serial_references),
        processors_(options.processors != 0 ? options.processors : std::thread::hardware_concurrency()),
        benefit_(options.tuning.small_round_references),
        time_line_(options.time_line),
        searchers_(Backoff(team_size() > processors_)) {
    const std::uint32_t count = pool_.size();
    nodes_.resize(std::max(count, 2U), 0);
    make_workers(options, make_victim);
    statistics_.resize(count);
  }

  /// From now on no more than so many workers take part, at least one. Between two calls of mark().
  void set_most_workers(std::uint32_t workers) { most_workers_ = workers; }

  /// Says that the next mark() is the first of a marking, and that it is not far: as many helpers as had a
  /// part in the last marking with helpers wake up meanwhile, where the team is to try, as many as such a
  /// heap has work for, and `least` at least, as far as there are so many. Between two calls of mark().
  void wake_helpers(std::uint32_t least = 0) {
    knows_markings_ = begins_marking_ = true;
    benefit_.start_marking();
    const std::uint32_t others = std::min(team_size(), std::max(1U, processors_)) - 1;
    // If no mark() came after the last call, its helpers still count as woken.
    if (helpers_woken_ == 0 && !benefit_.is_alone()) {
      const std::uint64_t tried =
          benefit_.tries_team() ? references_of_main_round_ / (2 * kReferencesToBeWoken) : 0;
      const std::uint64_t wanted = std::max<std::uint64_t>(std::exchange(useful_helpers_, 0), tried);
      helpers_woken_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, others));
    }
    helpers_woken_ = std::max(helpers_woken_, std::min(least, others));
    if (helpers_woken_ != 0) pool_.wake_ahead(helpers_woken_);
  }

  /// Calls part(0) to part(parts - 1), for what is to be done before marking: shared with the helpers that
  /// wake_helpers() woke up, who stay awake. `part` must not throw. Between two calls of mark().
  void share(ThreadPool::Job part, std::uint32_t parts) {
    share_with(helpers_woken_, part, parts);
    if (helpers_woken_ != 0) pool_.wake_ahead(helpers_woken_);
  }

  /// The same, shared with all helpers, as far as there are processors, who sleep afterwards.
  void share_with_all(ThreadPool::Job part, std::uint32_t parts) {
    const std::uint32_t helpers =
        std::min({pool_.size(), std::max(1U, processors_), std::max(1U, parts)}) - 1;
    if (helpers != 0) pool_.wake_ahead(helpers);
    share_with(helpers, part, parts);
  }

  /// Marks everything that can be reached from `roots`, none of them null, or, to continue a marking that
  /// dropped tasks, from the marked objects whose tasks are in `rescans`. Returns whether nothing was
  /// dropped: false means that some marked objects were not visited, because there was no memory to remember
  /// them; visit all marked objects again, in pieces as large as is convenient, until it returns true for
  /// each of a pass. The roots and the model must stay as they are meanwhile. One call at a time.
  ///
  /// It may be called any number of times in a collection, with further roots: so values of ephemerons whose
  /// keys turned out live, and objects with finalizers, are marked once the first call has said what is live.
  /// Weak references are cleared after the last.
  ///
  /// In the child of a fork that came between two calls, the helpers are not there: the caller marks alone.
  bool mark(Model& model, std::span<const Reference> roots, std::span<const Task> rescans = {}) noexcept {
    roots_ = roots;
    rescans_ = rescans;
    // Relaxed: the pool hands over to the workers afterwards.
    next_root_.store(0, std::memory_order_relaxed);
    next_rescan_.store(0, std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < workers_used_; ++i) workers_[i]->start_round();
    if (!knows_markings_) benefit_.start_marking();
    is_timed_ = begins_marking_ && team_size() > 1 && serial_references_ != 0;
    if (is_timed_) round_start_ = Clock::now();
    pool_.forget_helpers_after_fork();
    if (time_line_ != nullptr) start_time_line();
    const bool others_are_awake = std::exchange(helpers_woken_, 0) != 0 && pool_.size() != 1;
    const bool is_together = others_are_awake || !mark_serially(model);
    if (is_together) mark_together(model);
    if (time_line_ != nullptr) end_time_line(is_together ? pool_.called() : 1);
    const bool complete = gather_statistics();
    if (is_timed_ && references_of_main_round_ >= serial_references_)
      benefit_.finish(references_of_main_round_, time_of_round(), is_together);
    return complete;
  }

  /// The counts of the last mark(), one entry per worker: of a collection that calls it several times, add
  /// them up.
  [[nodiscard]] std::span<const WorkerStatistics> statistics() const { return statistics_; }
  /// How often a worker has stolen from each since the engine was made: what grew in a mark() are its steals.
  /// Not during mark().
  [[nodiscard]] std::span<const std::uint32_t> steals_by_victim(std::uint32_t worker) const {
    return workers_[worker]->steals_by_victim().first(worker_count());
  }
  /// Workers, the caller of mark() included.
  [[nodiscard]] std::uint32_t worker_count() const { return static_cast<std::uint32_t>(workers_.size()); }
  /// Bytes of all queues, and of the overflow lists at their peak in the last mark(). Not during mark().
  [[nodiscard]] std::size_t memory_bytes() const {
    std::size_t bytes = 0;
    for (const auto& worker : workers_) bytes += worker->memory_bytes();
    return bytes;
  }

 private:
  // Those among so many helpers that are awake.
  void share_with(std::uint32_t helpers, ThreadPool::Job part, std::uint32_t parts) {
    std::atomic<std::uint32_t> next{0};
    // Relaxed: only the number matters; the pool hands over what was done.
    const auto take_parts = [&](std::uint32_t) {
      for (std::uint32_t i = 0; (i = next.fetch_add(1, std::memory_order_relaxed)) < parts;) part(i);
    };
    pool_.forget_helpers_after_fork();
    helpers = std::min({helpers, pool_.size() - 1, std::max(1U, parts) - 1});
    if (helpers == 0) return take_parts(0);
    pool_.run_on_call(take_parts, helpers + 1);
  }

  friend class Worker<Model, Queue, Victim, Marker>;
  friend class MarkStep<Model, TaskStore<Task, Queue>, Marker>;
  friend class WorkSearch<Task, Queue, Victim, Marker>;
  using Clock = std::chrono::steady_clock;
  using TeamWorker = Worker<Model, Queue, Victim, Marker>;

  static constexpr std::uint32_t kMaximumNodes = 1024;

  static const MarkerOptions& checked(const MarkerOptions& options) {
    if (options.threads == 0 || options.threads > BiasedRegions::kMaximumWorkers)
      base::throw_or_end(std::invalid_argument("Marker: the number of threads must be from 1 to 1024"));
    if (options.threads > 1 && !Queue::kServesThieves)
      base::throw_or_end(std::invalid_argument("Marker: this queue serves one thread alone"));
    if (options.tuning.steal_batch == 0)
      base::throw_or_end(std::invalid_argument("Marker: a thief must be allowed to take one task at least"));
    if (!options.nodes.empty() && options.nodes.size() < options.threads)
      base::throw_or_end(
          std::invalid_argument("Marker: the memory node of every worker must be given, or of none"));
    if (options.time_line != nullptr && options.time_line->worker_count() < options.threads)
      base::throw_or_end(
          std::invalid_argument("Marker: the time line must have room for as many workers as there are"));
    if (std::ranges::any_of(options.nodes, [](std::uint32_t node) { return node >= kMaximumNodes; }))
      base::throw_or_end(std::invalid_argument("Marker: memory nodes are numbered from 0 to 1023"));
    if (std::ranges::any_of(options.node_distances,
                            [](std::uint32_t distance) { return distance < base::NodeDistance::kNear; }))
      base::throw_or_end(
          std::invalid_argument("Marker: no distance is below 10, which is that of a node to itself"));
    if (!options.node_distances.empty() && !are_complete(options.nodes, options.node_distances))
      base::throw_or_end(std::invalid_argument(
          "Marker: the distance from every node to every other must be given, or none"));
    return options;
  }

  static bool are_complete(const std::vector<std::uint32_t>& nodes,
                           const std::vector<std::uint32_t>& distances) {
    std::size_t count = 1;
    while (count * count < distances.size()) ++count;
    return count * count == distances.size() &&
           std::ranges::all_of(nodes, [count](std::uint32_t node) { return node < count; });
  }

  [[nodiscard]] bool has_several_nodes() const {
    return std::ranges::adjacent_find(nodes_, std::not_equal_to()) != nodes_.end();
  }

  // Where there are several memory nodes each worker is made by its own thread, so that its queue and its
  // counts lie on that thread's node: the first to write to a page decides where it is.
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

  static constexpr std::uint64_t kForGood = std::numeric_limits<std::uint64_t>::max();

  // Whether the first worker marked everything by itself.
  bool mark_serially(Model& model) {
    const bool is_always_serial = team_size() == 1;
    // Without rescans: a round that has them is long.
    if (!is_always_serial && (serial_references_ == 0 || !rescans_.empty())) return false;
    return workers_[0]->run_serially(model, is_always_serial ? kForGood : serial_references_);
  }

  // Returns how many nanoseconds ago a round began that is timed.
  [[nodiscard]] double time_of_round() const {
    return std::chrono::duration<double, std::nano>(Clock::now() - round_start_).count();
  }
  // The first worker has marked so much by itself, and others could help: whether it goes on by itself.
  bool stays_alone(std::uint64_t references) {
    return is_timed_ && benefit_.is_alone() && benefit_.goes_on_alone(references, time_of_round());
  }

  void mark_together(Model& model) {
    if constexpr (Queue::kServesThieves) {
      const std::uint32_t team = team_size();
      searchers_.start_round();
      const auto part = [&](std::uint32_t worker) { workers_[worker]->take_part(model); };
      serial_references_ != 0 ? pool_.run_on_call(part, team) : pool_.run(part, team);
      workers_used_ = std::max(workers_used_, pool_.called());
    }
  }

  void start_time_line() {
    const Clock::time_point now = Clock::now();
    for (std::uint32_t i = 0; i < workers_.size(); ++i)
      time_line_->of(i).start_round(i == 0 ? Activity::work : Activity::sleep, now);
  }
  void end_time_line(std::uint32_t called) {
    const Clock::time_point now = Clock::now();
    for (std::uint32_t i = 0; i < called; ++i) time_line_->of(i).end_round(now);
  }

  // After a round. Returns whether nothing was dropped.
  bool gather_statistics() {
    std::uint64_t references_of_round = 0;
    std::uint32_t useful_helpers = 0;
    bool complete = true;
    for (std::uint32_t i = 0; i < workers_used_; ++i) {
      workers_[i]->finish_round();
      statistics_[i] = workers_[i]->statistics();
      references_of_round += statistics_[i].references_visited;
      complete = complete && !workers_[i]->dropped_tasks();
    }
    const std::uint64_t useful = std::min(kReferencesToBeWoken, references_of_round / 4);
    for (std::uint32_t i = 1; i < workers_used_; ++i) {
      if (statistics_[i].references_visited >= useful) ++useful_helpers;
    }
    if (references_of_round >= serial_references_)
      useful_helpers_ = std::max(useful_helpers_, useful_helpers);
    if (std::exchange(begins_marking_, !knows_markings_)) references_of_main_round_ = 0;
    references_of_main_round_ = std::max(references_of_main_round_, references_of_round);
    return complete;
  }

  // Workers beyond the number of processors only take turns.
  [[nodiscard]] std::uint32_t team_size() const {
    const std::uint32_t most = std::min(pool_.size(), most_workers_);
    return serial_references_ == 0 ? most : std::min(most, std::max(2U, processors_));
  }

  // How many may be on their way, as long as too few search; 0 when nobody can be called.
  [[nodiscard]] std::uint32_t searchers_lacking() const {
    const std::uint32_t least = least_searchers(pool_.at_work());
    if (pool_.callable(least) == 0) return 0;
    const std::uint32_t lacking = least - std::min(least, searchers_.count());
    return pool_.callable(lacking) == 0 ? 0 : lacking;
  }
  // There may be something to steal: calls somebody to it, unless enough search. Whether it did.
  bool wake() {
    const std::uint32_t lacking = searchers_lacking();
    return lacking != 0 && pool_.call(lacking);
  }
  void request_tasks_of(std::uint32_t worker) { workers_[worker]->request_tasks(); }

  // The part of the round's input that a worker claims at a time.
  struct Input {
    std::span<const Reference> roots;
    std::span<const Task> rescans;
  };

  template <typename Element>
  static std::span<const Element> claim_piece(std::span<const Element> all, std::atomic<std::size_t>& next) {
    // Relaxed: only the number matters; what it numbers was there before the round.
    if (next.load(std::memory_order_relaxed) >= all.size()) return {};
    const std::size_t first = next.fetch_add(kInputPiece, std::memory_order_relaxed);
    if (first >= all.size()) return {};
    return all.subspan(first, std::min(kInputPiece, all.size() - first));
  }
  [[nodiscard]] bool has_input() const {
    // Relaxed: as above.
    return next_root_.load(std::memory_order_relaxed) < roots_.size() ||
           next_rescan_.load(std::memory_order_relaxed) < rescans_.size();
  }
  bool claim_input(Input& input) {
    input.roots = claim_piece(roots_, next_root_);
    input.rescans = claim_piece(rescans_, next_rescan_);
    return !input.roots.empty() || !input.rescans.empty();
  }

  Queue& queue_of(std::uint32_t worker) { return workers_[worker]->queue(); }
  [[nodiscard]] std::uint32_t node_of(std::uint32_t worker) const { return nodes_[worker]; }
  BiasedRegions& biased_regions_of(std::uint32_t worker) { return workers_[worker]->biased_regions(); }
  Searchers& searchers() { return searchers_; }
  [[nodiscard]] std::uint32_t at_work() const { return pool_.at_work(); }
  [[nodiscard]] std::uint32_t called() const { return pool_.called(); }

  ThreadPool pool_;
  std::vector<std::uint32_t> nodes_;  // of each worker
  const std::uint64_t serial_references_;
  std::uint32_t most_workers_ = std::numeric_limits<std::uint32_t>::max();
  const std::uint32_t processors_;              // asked once: it takes system calls
  bool knows_markings_ = false;                 // wake_helpers tells them apart; else each round is one
  bool begins_marking_ = true;                  // with the next round
  std::uint64_t references_of_main_round_ = 0;  // of the marking at hand, the largest so far
  bool is_timed_ = false;                       // the round is
  Clock::time_point round_start_;               // of a round that is timed
  TeamBenefit benefit_;
  std::uint32_t useful_helpers_ = 0;  // in the one of the rounds since wake_helpers that had most
  std::uint32_t helpers_woken_ = 0;   // for the next round
  std::vector<std::unique_ptr<TeamWorker>> workers_;
  std::uint32_t workers_used_ = 1;  // only those numbered below this were ever called
  std::vector<WorkerStatistics> statistics_;
  TimeLine* const time_line_;
  Searchers searchers_;
  std::span<const Reference> roots_;
  std::span<const Task> rescans_;
  alignas(128) std::atomic<std::size_t> next_root_{0};
  std::atomic<std::size_t> next_rescan_{0};
};

}  // namespace jackdaw::mark
