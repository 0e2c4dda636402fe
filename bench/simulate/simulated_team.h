// SimulatedTeam: the workers of a simulated round, and what they share. See simulation.h for what it means.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "bench/simulate/shared_lines.h"
#include "bench/simulate/simulation.h"
#include "mark/lease.h"
#include "mark/mark_distance.h"
#include "mark/overflow_list.h"
#include "mark/prefetch_buffer.h"
#include "mark/queue/locked.h"
#include "mark/queue/queue.h"
#include "mark/victim/any.h"

namespace jackdaw::bench {

/// One round. `Queue`: one of the engine's, of recorded nodes. `kOwnerStaysAway`: its owner touches what
/// thieves look at only when blocks change hands; else with every push and pop.
template <mark::StealableQueue Queue, bool kOwnerStaysAway>
class SimulatedTeam {
 public:
  SimulatedTeam(const Recording& recording, const SimulationSetup& setup)
      : recording_(recording),
        setup_(setup),
        machine_(setup.machine),
        nodes_(nodes_of(setup)),
        is_found_(recording.node_count(), false),
        leases_(recording.line_count() / Recording::kLinesPerLease + 1),
        mark_lines_(recording.line_count(), nodes_, setup_.machine),
        lease_lines_(leases_.size() / kLeasesOfALine + 1, nodes_, setup_.machine),
        team_lines_(nodes_.size() + 2, nodes_, setup_.machine),
        stolen_(setup.engine.steal_batch) {
    workers_.reserve(nodes_.size());
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      workers_.push_back(std::make_unique<Worker>(i, victim_setup_of(i), setup_.engine));
    }
  }

  SimulationResult run() {
    begin();
    while (!is_over_) {
      const Event event = agenda_.top();
      agenda_.pop();
      Worker& worker = *workers_[event.worker];
      worker.now = event.time;
      do {
        act(worker);
      } while (worker.is_awake() && !is_over_ && (agenda_.empty() || worker.now < agenda_.top().time));
      if (worker.is_awake()) agenda_.push({worker.now, worker.index});
    }
    return finish();
  }

 private:
  using Node = RecordedNode;

  // As in mark/worker.h and mark/marker.h, where each is explained.
  static constexpr std::size_t kPrefetchDepth = 64;
  static constexpr std::size_t kLowTasks = 16;
  static constexpr std::size_t kRefilledTasks = 20;
  static constexpr std::uint64_t kChoicesPerWorker = 16;
  static constexpr std::uint64_t kReferencesBetweenLooks = 256;
  static constexpr std::uint64_t kTasksForOthers = 32;
  static constexpr std::uint64_t kReferencesToBeRoused = 8192;
  static constexpr std::size_t kInputPiece = 256;

  enum class State : std::uint8_t {
    away,       // a helper that has not come, or is on its way
    alone,      // marking, before others were called
    marking,    // beside others
    searching,  // for a victim
    claiming,   // what it has seen in a victim's queue
    watching,   // the master: looks around, ever again
    asleep,     // or being woken
  };

  struct Worker {
    Worker(std::uint32_t number, const mark::VictimSetup& victim_setup, const mark::MarkerOptions& options)
        : index(number), queue(options.blocks, options.block_size), victim(victim_setup) {}

    [[nodiscard]] bool is_awake() const { return state != State::away && state != State::asleep; }

    // Whether the processor foresees that a mark is new or is not: as its simplest predictor of branches,
    // which changes its mind when it was wrong twice.
    bool foresees(bool is_new) {
      const bool foreseen = (newness >= 2) == is_new;
      newness = is_new ? std::min(newness + 1, 3) : std::max(newness - 1, 0);
      return foreseen;
    }

    const std::uint32_t index;
    State state = State::away;
    double now = 0;
    Queue queue;
    std::uint64_t claims = 0;  // that thieves made of the queue
    mark::OverflowList<Node> overflow;
    mark::PrefetchBuffer<Node, kPrefetchDepth> prefetched;
    mark::AnyVictim victim;
    mark::MarkDistance distance;
    std::uint32_t generation = 0;   // of its leases
    std::uint32_t times_asked = 0;  // to give them up
    bool samples_next_mark = false;
    int newness = 0;  // of the marks it has seen last: from 2 on it expects new ones
    std::uint32_t visits_until_look = mark::kVisitsBetweenLooks;
    std::uint64_t references = 0;
    std::uint64_t pushes = 0;
    std::uint64_t pops = 0;
    std::uint64_t look_around_at = 0;  // references, while alone
    double dry_since = 0;
    std::uint64_t choices_left = 0;  // of a search
    std::optional<mark::VictimChoice> choice;
    std::uint64_t claims_seen = 0;  // of the chosen victim, when its queue was looked at
    double waits_left = 0;          // of a master
  };

  // A lease: its holder, or kNobody or kEverybody, and that one's generation.
  struct Lease {
    std::uint32_t holder = kNobody;
    std::uint32_t generation = 0;
    bool operator==(const Lease&) const = default;
  };

  struct Event {
    double time;
    std::uint32_t worker;
    // The earliest comes first; of those at one time, the one with the lowest number.
    bool operator>(const Event& other) const {
      return time != other.time ? time > other.time : worker > other.worker;
    }
  };

  // What a victim policy sees of the queues, and how long the looking takes.
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
  };

  // An event is so many looks of a thief at most, or events would be about little else.
  static constexpr std::uint32_t kLooksAtATime = 16;

  static constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kEverybody = kNobody - 1;
  static constexpr std::size_t kLeasesOfALine = 16;
  static constexpr bool kClaimsCanFail = !std::is_same_v<Queue, mark::LockedDeque<Node>>;

  static std::vector<std::uint32_t> nodes_of(const SimulationSetup& setup) {
    std::vector<std::uint32_t> nodes = setup.engine.nodes;
    nodes.resize(setup.engine.threads, 0);
    return nodes;
  }

  [[nodiscard]] std::uint32_t worker_count() const { return static_cast<std::uint32_t>(nodes_.size()); }

  // A policy wants two workers at least; nobody asks that of a worker alone.
  [[nodiscard]] mark::VictimSetup victim_setup_of(std::uint32_t worker) const {
    const std::uint32_t workers = std::max(2U, worker_count());
    const std::span<const std::uint32_t> nodes =
        worker_count() == workers ? std::span(nodes_) : std::span<const std::uint32_t>();
    return {worker, workers, setup_.engine.seed * 1000003 + worker, nodes, setup_.engine.victim};
  }

  // The lines that are not queues'.
  [[nodiscard]] std::size_t idle_line() const { return nodes_.size(); }
  [[nodiscard]] std::size_t input_line() const { return nodes_.size() + 1; }

  // --- The round ---

  void begin() {
    const std::uint32_t roused = std::min(setup_.roused, worker_count() - 1);
    Worker& first = *workers_.front();
    clear_marks(first);
    first.now = setup_.visits.before;
    first.look_around_at = setup_.engine.alone_references;
    first.state = State::alone;
    if (roused != 0) go_together(first);
    // Each that wakes up wakes two others.
    for (std::uint32_t i = 1; i <= roused; ++i) {
      const double awake = machine_.wake * std::bit_width(i);
      agenda_.push({std::max(awake, setup_.visits.before), i});
    }
    called_ = on_the_way_ = roused;
    agenda_.push({first.now, 0});
  }

  // Which takes the time that was measured, and leaves the lines in the first worker's cache.
  void clear_marks(Worker& first) {
    for (std::size_t line = 0; line < recording_.line_count(); ++line)
      mark_lines_.write(first.index, line, 0);
    for (std::size_t line = 0; line * kLeasesOfALine < leases_.size(); ++line)
      lease_lines_.write(first.index, line, 0);
  }

  // The first worker is alone no longer: the others, who have not come, count as idle.
  void go_together(Worker& first) {
    idle_ = worker_count() - 1;
    first.state = State::marking;
  }

  void end_round(double now) {
    is_over_ = true;
    dry_at_ = now;
    // The sleepers are called one by one, and the caller waits for the last one to come.
    over_at_ = now;
    if (!sleepers_.empty())
      over_at_ += machine_.wake_call * static_cast<double>(sleepers_.size()) + machine_.wake;
  }

  SimulationResult finish() {
    result_.time = over_at_;
    result_.termination = over_at_ - dry_at_;
    for (const std::unique_ptr<Worker>& worker : workers_) {
      result_.references += worker->references;
      result_.pushes += worker->pushes;
      if (worker->state == State::away) continue;
      if (worker->dry_since != 0) result_.idle += over_at_ - worker->dry_since;
      if (worker->index == 0) continue;
      ++result_.helpers;
      if (worker->references >= kReferencesToBeRoused) ++result_.useful_helpers;
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
        join(worker);
        break;
      case State::asleep:
        stop_offering(worker);
        break;
    }
  }

  // --- Marking ---

  void mark_on(Worker& worker) {
    Node node = 0;
    if (next_task(worker, node)) {
      visit(worker, node);
      if (--worker.visits_until_look == 0) {
        worker.visits_until_look = mark::kVisitsBetweenLooks;
        look_around(worker);
      }
    } else if (next_root_ < recording_.roots().size()) {
      take_input(worker);
    } else if (worker.state == State::alone) {
      end_round(worker.now);
    } else {
      begin_search(worker);
    }
  }

  [[nodiscard]] static bool is_far(const Worker& worker) {
    return worker.state != State::alone && worker.distance.is_far();
  }

  bool next_task(Worker& worker, Node& node) {
    if (!is_far(worker)) {
      if (worker.prefetched.size() < kLowTasks) refill(worker);
      return worker.prefetched.take(node);
    }
    while (pop(worker, node)) {
      if (worker.prefetched.exchange(node)) return true;
    }
    return worker.prefetched.take(node);
  }

  void refill(Worker& worker) {
    Node node = 0;
    while (worker.prefetched.size() < kRefilledTasks && pop(worker, node)) worker.prefetched.put(node);
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
    return std::max(0.0, visits.reference + (is_far(worker) ? visits.beside_far : visits.beside));
  }

  void take_input(Worker& worker) {
    worker.now += team_lines_.write(worker.index, input_line(), worker.now);
    const std::span<const Node> left = recording_.roots().subspan(next_root_);
    const std::span<const Node> piece = left.first(std::min(left.size(), kInputPiece));
    next_root_ += piece.size();
    for (const Node root : piece) discover(worker, root);
  }

  void discover(Worker& worker, Node target) {
    if (!recording_.has_mark(target)) {
      push(worker, target);
      return;
    }
    const std::uint32_t line = recording_.line_of(target);
    if (worker.samples_next_mark) sample(worker, line);
    // Whether or not the mark is new, the lease is looked at first.
    const bool is_locked = worker.state != State::alone && !may_mark_alone(worker, line);
    const bool is_new = !is_found_[target];
    const bool is_foreseen = worker.foresees(is_new);
    if (!is_new) {
      look_at_mark(worker, line, is_foreseen);
      return;
    }
    is_found_[target] = true;
    mark(worker, line, is_foreseen, is_locked);
    if (recording_.is_task(target)) keep(worker, target);
  }

  // Far marks are asked for to be written, before it is known that they are set.
  void look_at_mark(Worker& worker, std::uint32_t line, bool is_foreseen) {
    if (is_far(worker)) {
      worker.now += mark_lines_.write(worker.index, line, worker.now, Fetch::ahead_read);
    } else {
      const Fetch fetch = is_foreseen ? Fetch::read : Fetch::waited;
      worker.now += mark_lines_.read(worker.index, line, worker.now, fetch);
    }
  }

  void mark(Worker& worker, std::uint32_t line, bool is_foreseen, bool is_locked) {
    if (is_far(worker)) {
      const Fetch fetch = is_locked ? Fetch::ahead_mark : Fetch::ahead_read;
      worker.now += mark_lines_.write(worker.index, line, worker.now, fetch);
    } else if (is_foreseen) {
      const Fetch fetch = is_locked ? Fetch::mark : Fetch::read;
      worker.now += mark_lines_.write(worker.index, line, worker.now, fetch);
    } else {
      worker.now += mark_lines_.read(worker.index, line, worker.now);
      // A processor waits for the line of a locked operation, and for that of a store it does not.
      const double to_write = mark_lines_.write(worker.index, line, worker.now);
      if (is_locked) worker.now += to_write;
    }
    if (is_locked) worker.now += setup_.visits.locked_mark;
  }

  // Whether the worker holds the lease of the region, which it takes if it can (mark/lease.h).
  bool may_mark_alone(Worker& worker, std::uint32_t line) {
    const std::size_t region = line / Recording::kLinesPerLease;
    const std::size_t words = region / kLeasesOfALine;
    worker.now += lease_lines_.read(worker.index, words, worker.now, Fetch::read);
    Lease& lease = leases_[region];
    if (lease == Lease{worker.index, worker.generation}) return true;
    if (lease.holder == kEverybody) return false;
    const bool is_own = lease.holder == kNobody || lease.holder == worker.index;
    if (!is_own && workers_[lease.holder]->generation == lease.generation) {
      ask_for_leases(worker, *workers_[lease.holder]);
    }
    worker.now += machine_.locked + lease_lines_.write(worker.index, words, worker.now);
    lease = {is_own && worker.times_asked < mark::Leases::kPatience ? worker.index : kEverybody,
             worker.generation};
    return lease.holder == worker.index;
  }

  // Writes to a line of the holder's, which gives its leases up and says so in another. Meanwhile the worker
  // does something else.
  void ask_for_leases(Worker& worker, Worker& holder) {
    worker.now += 2 * mark_lines_.distance(worker.index, holder.index);
    ++holder.times_asked;
    ++holder.generation;
  }

  // Times one mark by the clock, before and after which nothing else goes on.
  void sample(Worker& worker, std::uint32_t line) {
    const double waited = mark_lines_.read(worker.index, line, worker.now);
    worker.now += waited;
    const double sampled = std::max(waited, setup_.visits.sample);
    worker.distance.add_sample(mark::MarkDistance::Duration(static_cast<std::int64_t>(sampled)));
    worker.distance.end_sampled_visit();
    worker.samples_next_mark = false;
  }

  void keep(Worker& worker, Node node) {
    if (!is_far(worker) && !worker.prefetched.is_full()) {
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

  // The owner does something to its queue: does it touch what thieves look at?
  template <typename Change>
  void change_queue(Worker& worker, Change change) {
    const mark::QueueCounters before = worker.queue.counters();
    change();
    const mark::QueueCounters& after = worker.queue.counters();
    if (kOwnerStaysAway && before.grants == after.grants && before.takeovers == after.takeovers) return;
    worker.now += team_lines_.write(worker.index, worker.index, worker.now);
  }

  // --- Looking around ---

  void look_around(Worker& worker) {
    if (worker.state == State::alone) {
      if (others_could_help(worker)) go_together(worker);
      return;
    }
    worker.now += team_lines_.read(worker.index, idle_line(), worker.now);
    if (idle_ != 0) share(worker);
    if (!worker.distance.count_look()) return;
    if (worker.distance.is_far()) {
      worker.distance.take_as_near();
    } else {
      worker.samples_next_mark = true;
    }
  }

  bool others_could_help(Worker& worker) {
    if (worker_count() == 1 || worker.references < worker.look_around_at) return false;
    worker.look_around_at = worker.references + kReferencesBetweenLooks;
    return worker.pushes - worker.pops >= kTasksForOthers || next_root_ < recording_.roots().size();
  }

  void share(Worker& worker) {
    if (!worker.queue.offers_tasks()) {
      change_queue(worker, [&] {
        if (!worker.overflow.empty()) worker.overflow.hand_back(worker.queue, setup_.engine.block_size + 1);
        if (setup_.engine.grant == mark::Grant::early && !worker.queue.offers_tasks())
          worker.queue.grant_early();
      });
    }
    if (worker.queue.offers_tasks() && !wake_sleeper(worker)) call_helper(worker);
  }

  bool wake_sleeper(Worker& worker) {
    if (sleepers_.empty()) return false;
    const std::uint32_t sleeper = sleepers_.back();
    sleepers_.pop_back();
    call(worker, sleeper);
    return true;
  }

  // As many may be on their way as are at work.
  void call_helper(Worker& worker) {
    if (called_ == worker_count() - 1 || on_the_way_ > called_ - on_the_way_) return;
    ++on_the_way_;
    call(worker, ++called_);
  }

  // Calls are made under a lock.
  void call(Worker& worker, std::uint32_t called) {
    worker.now = std::max(worker.now, calls_end_) + machine_.wake_call;
    calls_end_ = worker.now;
    agenda_.push({worker.now + machine_.wake, called});
  }

  // --- Stealing ---

  void begin_search(Worker& worker) {
    if (worker.dry_since == 0) worker.dry_since = worker.now;
    ++worker.generation;
    worker.victim.start_search();
    worker.choices_left = kChoicesPerWorker * worker_count();
    worker.state = State::searching;
  }

  void look_at(Worker& thief, std::uint32_t victim) {
    thief.now += team_lines_.read(thief.index, victim, thief.now);
  }

  // Some looks at a time: those that find nothing change nothing.
  void search(Worker& thief) {
    for (std::uint32_t looks = 0; looks < kLooksAtATime && thief.state == State::searching; ++looks) {
      if (thief.choices_left-- == 0) {
        offer(thief);
      } else {
        look_for_victim(thief);
      }
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
    take_home(thief, victim, count);
    if (idle_ != 0 && victim.queue.has_stealable() && !wake_sleeper(thief)) call_helper(thief);
  }

  // How many tasks now lie in stolen_.
  std::size_t steal_from(Queue& queue, const mark::VictimChoice& choice) {
    if constexpr (mark::RandomizedStealing<Queue>) {
      if (choice.sample) return queue.steal_some_sampled(*choice.sample, stolen_).count;
    }
    return queue.steal_some(stolen_).count;
  }

  void take_home(Worker& thief, const Worker& victim, std::size_t count) {
    constexpr std::size_t kTasksPerLine = 8;
    // And the first task's object, for which nobody has asked ahead.
    const std::size_t lines = (count + kTasksPerLine - 1) / kTasksPerLine + 1;
    ++result_.steals;
    result_.tasks_stolen += count;
    if (nodes_[thief.index] != nodes_[victim.index]) ++result_.steals_remote;
    thief.now += setup_.queue_costs.steal +
                 static_cast<double>(lines) * mark_lines_.distance(victim.index, thief.index);
    result_.idle += thief.now - std::exchange(thief.dry_since, 0);
    for (const Node node : std::span(stolen_).first(count)) push(thief, node);
    thief.state = State::marking;
  }

  // --- Termination ---

  void offer(Worker& worker) {
    worker.now += machine_.locked + team_lines_.write(worker.index, idle_line(), worker.now);
    if (++idle_ == worker_count()) {
      end_round(worker.now);
    } else if (!has_master_) {
      has_master_ = true;
      worker.waits_left = machine_.waits;
      worker.state = State::watching;
    } else {
      fall_asleep(worker);
    }
  }

  void fall_asleep(Worker& worker) {
    sleepers_.push_back(worker.index);
    worker.state = State::asleep;
  }

  void watch(Worker& master) {
    if (work_in_sight(master)) {
      has_master_ = false;
      wake_sleeper(master);
      stop_offering(master);
    } else if (master.waits_left-- < 1) {
      has_master_ = false;
      fall_asleep(master);
    } else {
      master.now += machine_.wait;
    }
  }

  bool work_in_sight(Worker& master) {
    for (const std::unique_ptr<Worker>& other : workers_) {
      if (other->index == master.index) continue;
      master.now += machine_.look;
      look_at(master, other->index);
      if (other->queue.has_stealable()) return true;
    }
    return false;
  }

  void stop_offering(Worker& worker) {
    withdraw(worker);
    begin_search(worker);
  }

  void join(Worker& helper) {
    --on_the_way_;
    withdraw(helper);
    helper.state = State::marking;
  }

  void withdraw(Worker& worker) {
    worker.now += machine_.locked + team_lines_.write(worker.index, idle_line(), worker.now);
    --idle_;
  }

  const Recording& recording_;
  const SimulationSetup& setup_;
  const MachineCosts& machine_;
  const std::vector<std::uint32_t> nodes_;  // of each worker
  std::vector<bool> is_found_;
  std::vector<Lease> leases_;  // of each region
  SharedLines mark_lines_;
  SharedLines lease_lines_;
  SharedLines
      team_lines_;  // of each worker's queue, what thieves look at; the count of idle workers; the input
  std::vector<Node> stolen_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> agenda_;
  std::size_t next_root_ = 0;
  std::uint32_t idle_ = 0;               // workers that offer to end the round, and those that have not come
  std::uint32_t called_ = 0;             // helpers called
  std::uint32_t on_the_way_ = 0;         // of them, those that have not come
  std::vector<std::uint32_t> sleepers_;  // that nobody has called
  double calls_end_ = 0;                 // when the lock is free under which workers are called
  bool has_master_ = false;
  bool is_over_ = false;
  double dry_at_ = 0;   // when the last worker ran dry
  double over_at_ = 0;  // when all know it
  SimulationResult result_;
};

}  // namespace jackdaw::bench
