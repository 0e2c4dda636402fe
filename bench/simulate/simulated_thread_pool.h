// SimulatedThreadPool: the workers of a simulated round that are at work, search, or are away, and their
// calls: it follows mark/thread_pool.h and mark/searchers.h step by step.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "bench/simulate/event_queue.h"
#include "bench/simulate/shared_lines.h"
#include "bench/simulate/simulated_worker.h"
#include "mark/mark_loop_constants.h"

namespace jackdaw::bench {

class SimulatedThreadPool {
 public:
  /// All must outlive the object. `nodes`: the memory node of each worker.
  SimulatedThreadPool(std::span<const std::uint32_t> nodes, const MachineCosts& machine,
                      EventQueue& event_queue)
      : size_(static_cast<std::uint32_t>(nodes.size())),
        machine_(machine),
        event_queue_(event_queue),
        lines_(kLines, nodes, machine) {
    for (std::uint32_t worker = 1; worker < size_; ++worker) away_.insert(worker);
  }

  /// Returns when work of `time` is done that the first worker, from 0 on, and helpers woken at 0 share in
  /// parts. O(parts × workers).
  [[nodiscard]] double shared_by_woken(double time, std::uint32_t parts, std::uint32_t woken) const {
    std::vector<double> free_at{0};
    for (std::uint32_t i = 1; i <= woken; ++i) free_at.push_back(awake_at(i));
    double end = 0;
    for (std::uint32_t part = 0; part < parts; ++part) {
      double& next = *std::ranges::min_element(free_at);
      next += time / parts;
      end = std::max(end, next);
    }
    return end;
  }

  /// Has `woken` helpers, woken at 0, come as soon as they are awake, but not before `earliest`. Each wakes
  /// two others.
  void expect_woken(std::uint32_t woken, double earliest) {
    for (std::uint32_t i = 1; i <= woken; ++i) {
      event_queue_.add({std::max(awake_at(i), earliest), i});
      away_.erase(i);
    }
    called_ = woken + 1;
    on_the_way_ = woken;
  }

  /// Returns a bound on the numbers of workers that were called.
  [[nodiscard]] std::uint32_t called() const { return called_; }

  /// Whether a worker could be called to search.
  [[nodiscard]] bool lacks_searchers(SimulatedWorker& worker) {
    read(worker, Line::pool);
    const std::uint32_t least = mark::least_searchers(at_work());
    if (away_.empty() || on_the_way_ >= least) return false;
    read(worker, Line::search);
    return on_the_way_ + searchers_ < least;
  }

  /// Calls a worker, as there may be something to steal, unless enough search. Returns whether it did.
  bool wake(SimulatedWorker& worker) {
    if (!lacks_searchers(worker)) return false;
    lock(worker);
    const std::uint32_t called = *away_.begin();
    away_.erase(away_.begin());
    ++on_the_way_;
    called_ = std::max(called_, called + 1);
    worker.now += machine_.wake_call;
    event_queue_.add({worker.now + machine_.wake, called});
    return true;
  }

  /// A called worker begins its part.
  void join(SimulatedWorker& worker) {
    lock(worker);
    --on_the_way_;
    worker.state = SimulatedWorker::State::marking;
  }

  /// A worker without tasks begins to search. False if enough others do.
  bool begin_search(SimulatedWorker& worker) {
    change(worker, Line::search);
    return searchers_++ < mark::most_searchers(at_work());
  }
  /// Ends a search that has found tasks.
  void end_search(SimulatedWorker& worker) {
    change(worker, Line::search);
    --searchers_;
  }

  /// Ends a search in vain: the worker becomes the master, or leaves.
  void give_up(SimulatedWorker& worker) {
    change(worker, Line::search);
    if (has_master_) {
      leave(worker);
    } else {
      has_master_ = true;
      worker.waits_left = machine_.waits;
      worker.state = SimulatedWorker::State::watching;
    }
  }

  /// Whether the master is the only worker.
  [[nodiscard]] bool is_alone(SimulatedWorker& master) {
    read(master, Line::pool);
    return at_work() == 1;
  }

  /// The master has looked around, and did or did not see work. Returns whether it must search.
  bool watch(SimulatedWorker& master, bool is_alone, bool sees_work) {
    if (!is_alone && !sees_work && master.waits_left-- >= 1) {
      master.now += machine_.wait;
      return false;
    }
    change(master, Line::search);
    has_master_ = false;
    if (!sees_work) leave(master);
    return sees_work;
  }

  /// Whether all workers have left.
  [[nodiscard]] bool is_over() const { return at_work() == 0; }

  /// Returns when the caller, the first worker, knows that the round is over, as the last worker left at
  /// `now`: unless that was the caller, it has to wake up.
  [[nodiscard]] double known_at(double now, const SimulatedWorker& last) const {
    return last.index == 0 ? now : now + machine_.wake_call + machine_.wake;
  }

 private:
  // These lines are written by all workers.
  enum class Line : std::uint8_t { search, pool };
  static constexpr std::size_t kLines = 2;

  // Returns when a helper that was woken at 0 is awake.
  [[nodiscard]] double awake_at(std::uint32_t helper) const { return machine_.wake * std::bit_width(helper); }

  void read(SimulatedWorker& worker, Line line) {
    worker.now += lines_.read(worker.index, static_cast<std::size_t>(line), worker.now);
  }
  void change(SimulatedWorker& worker, Line line) {
    worker.now += machine_.locked + lines_.write(worker.index, static_cast<std::size_t>(line), worker.now);
  }
  // Takes the pool's lock, changes its data, and unlocks it.
  void lock(SimulatedWorker& worker) {
    worker.now = std::max(worker.now, unlocked_at_);
    change(worker, Line::pool);
    worker.now += machine_.locked;
    unlocked_at_ = worker.now;
  }

  void leave(SimulatedWorker& worker) {
    --searchers_;
    lock(worker);
    away_.insert(worker.index);
    worker.state = SimulatedWorker::State::away;
  }

  [[nodiscard]] std::uint32_t at_work() const {
    return size_ - static_cast<std::uint32_t>(away_.size()) - on_the_way_;
  }

  const std::uint32_t size_;
  const MachineCosts& machine_;
  EventQueue& event_queue_;
  SharedLines lines_;
  std::set<std::uint32_t> away_;  // not called, or not called again
  std::uint32_t called_ = 1;
  std::uint32_t on_the_way_ = 0;
  std::uint32_t searchers_ = 0;
  bool has_master_ = false;
  double unlocked_at_ = 0;
};

}  // namespace jackdaw::bench
