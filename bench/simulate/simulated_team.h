// SimulatedTeam: the mark loop and stealing of a simulated round. simulation.h explains the simulation.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/queues/locked.h"
#include "bench/simulate/event_queue.h"
#include "bench/simulate/shared_lines.h"
#include "bench/simulate/simulated_marks.h"
#include "bench/simulate/simulated_thread_pool.h"
#include "bench/simulate/simulated_worker.h"
#include "bench/simulate/simulation.h"
#include "mark/mark_loop_constants.h"
#include "mark/queue/queue.h"

namespace jackdaw::bench {

/// One round. `Queue` is one of the engine's, of recorded nodes. `kOwnerStaysAway`: the owner touches what
/// thieves read only when blocks change hands; otherwise at every push and pop.
template <mark::StealableQueue Queue, bool kOwnerStaysAway>
class SimulatedTeam {
 public:
  SimulatedTeam(const Recording& recording, const SimulationSetup& setup)
      : recording_(recording),
        setup_(setup),
        machine_(setup.machine),
        nodes_(nodes_of(setup)),
        marks_(recording, nodes_, setup),
        team_lines_(nodes_.size() + 1, nodes_, setup.machine),
        request_lines_(nodes_.size(), nodes_, setup.machine),
        stolen_(setup.engine.tuning.steal_batch),
        pool_(nodes_, setup.machine, event_queue_) {
    workers_.reserve(nodes_.size());
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      workers_.push_back(std::make_unique<Worker>(victim_setup_of(i), setup_));
    }
  }

  SimulationResult run() {
    begin();
    while (!is_over_) {
      const Event event = event_queue_.take_first();
      Worker& worker = *workers_[event.worker];
      worker.now = event.time;
      do {
        act(worker);
      } while (worker.is_awake() && !is_over_ && !event_queue_.is_due(worker.now));
      if (worker.is_awake()) event_queue_.add({worker.now, worker.index});
    }
    return finish();
  }

 private:
  using Node = RecordedNode;
  using Worker = WorkerWithTasks<Queue>;
  using State = SimulatedWorker::State;

  // A victim policy's view of the queues; each look takes the thief simulated time.
  struct QueuesOfTeam {
    SimulatedTeam& team;
    Worker& thief;

    [[nodiscard]] bool looks_stealable(std::uint32_t worker, std::uint64_t sample) const {
      team.look_at(thief, worker);
      return team.workers_[worker]->queue.looks_stealable(sample);
    }
    [[nodiscard]] std::size_t size_hint(std::uint32_t worker) const {
      team.look_at(thief, worker);
      return team.workers_[worker]->queue.size_hint();
    }
    [[nodiscard]] bool has_stealable(std::uint32_t worker) const {
      team.look_at(thief, worker);
      return team.workers_[worker]->queue.has_stealable();
    }
  };

  // An event has at most this many looks of a thief, or most events would be looks.
  static constexpr std::uint32_t kLooksAtATime = 16;

  static constexpr bool kClaimsCanFail = !std::is_same_v<Queue, LockedDeque<Node>>;

  static std::vector<std::uint32_t> nodes_of(const SimulationSetup& setup) {
    std::vector<std::uint32_t> nodes = setup.engine.nodes;
    nodes.resize(setup.engine.threads, 0);
    return nodes;
  }

  [[nodiscard]] std::uint32_t worker_count() const { return static_cast<std::uint32_t>(nodes_.size()); }

  // A policy needs at least two workers; the policy of a worker alone is never used.
  [[nodiscard]] mark::VictimSetup victim_setup_of(std::uint32_t worker) const {
    const std::uint32_t workers = std::max(2U, worker_count());
    const std::span<const std::uint32_t> nodes =
        worker_count() == workers ? std::span(nodes_) : std::span<const std::uint32_t>();
    return {worker, workers, setup_.engine.seed * 1000003 + worker, nodes};
  }

  // Returns the line that belongs to no queue.
  [[nodiscard]] std::size_t input_line() const { return nodes_.size(); }

  // --- The round ---

  void begin() {
    const std::uint32_t woken = std::min(setup_.woken, worker_count() - 1);
    Worker& first = *workers_.front();
    marks_.clear(first);
    first.now = pool_.shared_by_woken(setup_.visits.before, setup_.visits.parts_before, woken);
    first.poll_at = setup_.engine.tuning.serial_references;
    first.state = State::alone;
    if (woken != 0) first.state = State::marking;
    pool_.expect_woken(woken, first.now);
    event_queue_.add({first.now, first.index});
  }

  void end_round(const Worker& last) {
    is_over_ = true;
    over_at_ = pool_.known_at(last.now, last);
  }

  SimulationResult finish() {
    result_.time = over_at_;
    result_.termination = over_at_ - idle_at_;
    for (const std::unique_ptr<Worker>& worker : workers_) {
      result_.references += worker->references;
      result_.pushes += worker->pushes;
      if (worker->index == 0 || worker->index >= pool_.called()) continue;
      ++result_.helpers;
      if (worker->references >= mark::kReferencesToBeWoken) ++result_.useful_helpers;
    }
    return result_;
  }

  void act(Worker& worker) {
    switch (worker.state) {
      case State::alone:
      case State::marking:
        mark_on(worker);
        break;
      case State::searching:
        search(worker);
        break;
      case State::claiming:
        claim(worker);
        break;
      case State::watching:
        watch(worker);
        break;
      case State::away:
        pool_.join(worker);
        worker.polls_to_look = worker.polls_between_looks = 1;
        break;
    }
  }

  // --- Marking ---

  void mark_on(Worker& worker) {
    Node node = 0;
    if (next_task(worker, node)) {
      // A sampled visit is a batch of its own, and does not count.
      const bool counts = !worker.samples_next_mark;
      visit(worker, node);
      if (counts && worker.visits_until_look != 0) --worker.visits_until_look;
      if (worker.left_of_batch == 0 && worker.visits_until_look == 0) {
        worker.visits_until_look = mark::kVisitsBetweenPolls;
        poll(worker);
      }
    } else if (next_root_ < recording_.roots().size()) {
      take_input(worker);
    } else if (worker.state == State::alone) {
      idle_at_ = worker.now;
      end_round(worker);
    } else {
      begin_search(worker);
    }
  }

  bool next_task(Worker& worker, Node& node) {
    if (!worker.is_far()) {
      if (worker.left_of_batch == 0) begin_batch(worker);
      if (worker.left_of_batch == 0) return false;
      --worker.left_of_batch;
      node = worker.prefetched.take_oldest();
      return true;
    }
    while (pop(worker, node)) {
      if (worker.prefetched.exchange(node)) return true;
    }
    return worker.prefetched.take(node);
  }

  void begin_batch(Worker& worker) {
    if (worker.prefetched.size() < mark::kLowTasks) refill(worker);
    const std::size_t most = mark::tasks_at_once(worker.prefetched.size());
    worker.left_of_batch = worker.samples_next_mark ? std::min<std::size_t>(most, 1) : most;
  }

  void refill(Worker& worker) {
    Node node = 0;
    while (worker.prefetched.size() < mark::kRefilledTasks && pop(worker, node)) {
      worker.prefetched.put(node);
      if (recording_.is_slice(node)) return;
    }
  }

  void visit(Worker& worker, Node node) {
    ++result_.tasks;
    const double reference_time = time_of_reference(worker);
    worker.now += setup_.visits.task;
    for (const Node target : recording_.references_of(node)) {
      ++worker.references;
      worker.now += reference_time;
      discover(worker, target);
    }
    if (!worker.samples_next_mark) return;
    worker.samples_next_mark = false;
    worker.distance.end_sampled_visit();
  }

  [[nodiscard]] double time_of_reference(const Worker& worker) const {
    const VisitCosts& visits = setup_.visits;
    if (worker.state == State::alone) return visits.reference;
    return std::max(0.0, visits.reference + (worker.is_far() ? visits.beside_far : visits.beside));
  }

  void take_input(Worker& worker) {
    worker.now += team_lines_.write(worker.index, input_line(), worker.now);
    const std::span<const Node> left = recording_.roots().subspan(next_root_);
    const std::span<const Node> piece = left.first(std::min(left.size(), mark::kInputPiece));
    next_root_ += piece.size();
    for (const Node root : piece) discover(worker, root);
  }

  void discover(Worker& worker, Node target) {
    if (!recording_.has_mark(target)) {
      ++worker.parts;
      push(worker, target);
      return;
    }
    if (!marks_.mark(worker, target)) return;
    ++worker.marked;
    if (recording_.is_task(target)) keep(worker, target);
  }

  void keep(Worker& worker, Node node) {
    if (!worker.is_far() && !worker.prefetched.is_full()) {
      worker.prefetched.put(node);
    } else {
      push(worker, node);
    }
  }

  // --- The own queue ---

  void push(Worker& worker, Node node) {
    ++worker.pushes;
    worker.now += setup_.queue_costs.push_pop;
    change_queue(worker, [&] {
      if (!worker.queue.push(node) && !worker.overflow.push(node)) throw std::bad_alloc();
    });
  }

  bool pop(Worker& worker, Node& node) {
    bool found = worker.overflow.pop(node);
    if (!found) change_queue(worker, [&] { found = worker.queue.pop(node); });
    if (found) ++worker.pops;
    return found;
  }

  // Changes the owner's queue, and finds out whether that touches what thieves read.
  template <typename Change>
  void change_queue(Worker& worker, Change change) {
    const mark::QueueCounters before = worker.queue.counters();
    change();
    const mark::QueueCounters& after = worker.queue.counters();
    if (kOwnerStaysAway && before.grants == after.grants && before.takeovers == after.takeovers) return;
    worker.now += team_lines_.write(worker.index, worker.index, worker.now);
  }

  // --- Looking around ---

  void poll(Worker& worker) {
    if (worker.state == State::alone) {
      if (others_could_help(worker)) worker.state = State::marking;
      return;
    }
    if (is_asked(worker) && offer_tasks(worker)) {
      set_asked(worker, worker, false);
      worker.polls_to_look = 1;
    }
    if (--worker.polls_to_look == 0) look_for_callable(worker);
    if (!worker.distance.count_poll()) return;
    const bool was_far = worker.distance.is_far();
    worker.distance.note_marks(worker.references, worker.marked);
    worker.samples_next_mark = !was_far;
  }

  bool others_could_help(Worker& worker) {
    if (worker_count() == 1 || worker.references < worker.poll_at) return false;
    worker.poll_at = worker.references + mark::kReferencesBetweenPolls;
    const bool has_cut_objects = worker.parts != std::exchange(worker.parts_polled, worker.parts);
    return worker.pushes - worker.pops >= mark::tasks_for_others(has_cut_objects) ||
           next_root_ < recording_.roots().size();
  }

  void look_for_callable(Worker& worker) {
    const bool calls = pool_.lacks_searchers(worker) && offer_tasks(worker) && pool_.wake(worker);
    worker.polls_between_looks =
        calls ? 1 : std::min(2 * worker.polls_between_looks, mark::kMostPollsBetweenLooks);
    worker.polls_to_look = worker.polls_between_looks;
  }

  bool offer_tasks(Worker& worker) {
    if (!worker.queue.offers_tasks()) {
      change_queue(worker, [&] {
        if (!worker.overflow.empty())
          worker.overflow.hand_back(worker.queue, setup_.engine.tuning.block_size + 1);
        if (setup_.engine.tuning.grant == mark::Grant::early && !worker.queue.offers_tasks())
          worker.queue.grant_early();
      });
    }
    return worker.queue.offers_tasks();
  }

  // --- Stealing ---

  void begin_search(Worker& worker) {
    worker.idle_since = idle_at_ = worker.now;
    marks_.end_biases(worker);
    worker.victim.start_search(victims());
    const bool is_needed = pool_.begin_search(worker);
    search_again(worker);
    if (!is_needed) worker.choices_left = 0;
  }

  void search_again(Worker& worker) {
    worker.choices_left = mark::kChoicesPerWorker * victims();
    worker.state = State::searching;
  }

  // Returns a bound on the numbers of workers that are victims.
  [[nodiscard]] std::uint32_t victims() const {
    return std::max(2U, std::min(std::bit_ceil(pool_.called()), worker_count()));
  }

  void request_tasks(Worker& thief) {
    Worker& victim = *workers_[thief.random.below(pool_.called())];
    if (victim.index == thief.index) return;
    thief.now += request_lines_.read(thief.index, victim.index, thief.now);
    if (!victim.is_asked) set_asked(thief, victim, true);
  }
  bool is_asked(Worker& worker) {
    worker.now += request_lines_.read(worker.index, worker.index, worker.now);
    return worker.is_asked;
  }
  void set_asked(Worker& by, Worker& worker, bool is_asked) {
    by.now += request_lines_.write(by.index, worker.index, by.now);
    worker.is_asked = is_asked;
  }

  void look_at(Worker& thief, std::uint32_t victim) {
    thief.now += team_lines_.read(thief.index, victim, thief.now);
  }

  // Takes several looks at a time, as those that find nothing change nothing.
  void search(Worker& thief) {
    for (std::uint32_t looks = 0; looks < kLooksAtATime && thief.state == State::searching; ++looks) {
      if (thief.choices_left == 0) {
        pool_.give_up(thief);
        note_leaving(thief);
        continue;
      }
      look_for_victim(thief);
      if (--thief.choices_left != 0 || thief.state != State::searching) continue;
      for (std::uint32_t i = 0; i < mark::kRequestsPerSearch; ++i) request_tasks(thief);
    }
  }

  void look_for_victim(Worker& thief) {
    thief.now += machine_.look;
    thief.choice = thief.victim.choose(QueuesOfTeam{*this, thief});
    if (!thief.choice) return;
    ++result_.steal_attempts;
    look_at(thief, thief.choice->worker);
    Worker& victim = *workers_[thief.choice->worker];
    if (!victim.queue.has_stealable()) return;
    thief.claims_seen = victim.claims;
    thief.state = State::claiming;
  }

  void claim(Worker& thief) {
    Worker& victim = *workers_[thief.choice->worker];
    thief.now += team_lines_.write(thief.index, victim.index, thief.now);
    if (kClaimsCanFail && victim.claims != thief.claims_seen) {
      ++result_.steals_contended;
      thief.now += setup_.queue_costs.contended_steal;
      thief.state = State::searching;
      return;
    }
    const std::size_t count = steal_from(victim.queue, *thief.choice);
    if (count == 0) {
      thief.state = State::searching;
      return;
    }
    ++victim.claims;
    thief.victim.stole_from(victim.index);
    pool_.end_search(thief);
    pool_.wake(thief);
    take_home(thief, victim, count);
  }

  // Returns how many tasks now lie in stolen_.
  std::size_t steal_from(Queue& queue, const mark::VictimChoice& choice) {
    if constexpr (mark::RandomizedStealing<Queue>) {
      if (choice.sample) return queue.steal_some_sampled(*choice.sample, stolen_).count;
    }
    return queue.steal_some(stolen_).count;
  }

  void take_home(Worker& thief, const Worker& victim, std::size_t count) {
    constexpr std::size_t kTasksPerLine = 8;
    // There is one more line, of the first task's object, which was not prefetched.
    const std::size_t lines = (count + kTasksPerLine - 1) / kTasksPerLine + 1;
    ++result_.steals;
    result_.tasks_stolen += count;
    if (nodes_[thief.index] != nodes_[victim.index]) ++result_.steals_remote;
    thief.now += setup_.queue_costs.steal +
                 static_cast<double>(lines) * team_lines_.distance(victim.index, thief.index);
    result_.idle += thief.now - thief.idle_since;
    for (const Node node : std::span(stolen_).first(count)) push(thief, node);
    thief.state = State::marking;
  }

  void watch(Worker& master) {
    const bool is_alone = pool_.is_alone(master);
    if (pool_.watch(master, is_alone, !is_alone && sees_work(master))) search_again(master);
    note_leaving(master);
  }

  void note_leaving(Worker& worker) {
    if (worker.is_awake()) return;
    result_.idle += worker.now - worker.idle_since;
    if (pool_.is_over()) end_round(worker);
  }

  bool sees_work(Worker& master) {
    for (const std::unique_ptr<Worker>& other : std::span(workers_).first(pool_.called())) {
      if (other->index == master.index) continue;
      master.now += machine_.look;
      look_at(master, other->index);
      if (other->queue.has_stealable()) return true;
    }
    request_tasks(master);
    return false;
  }

  const Recording& recording_;
  const SimulationSetup& setup_;
  const MachineCosts& machine_;
  const std::vector<std::uint32_t> nodes_;  // of each worker
  SimulatedMarks marks_;
  SharedLines team_lines_;     // what thieves read of each worker's queue, and the input's line
  SharedLines request_lines_;  // of each worker
  std::vector<Node> stolen_;
  std::vector<std::unique_ptr<Worker>> workers_;
  EventQueue event_queue_;
  SimulatedThreadPool pool_;
  std::size_t next_root_ = 0;
  bool is_over_ = false;
  double idle_at_ = 0;  // when the last worker ran out of tasks
  double over_at_ = 0;  // when all workers know it
  SimulationResult result_;
};

}  // namespace jackdaw::bench
