// SimulatedThreadPool: who of a simulated round's workers is there, idle or asleep, and who calls whom: the
// thread pool's calling of helpers (mark/thread_pool.h) and Hassanein's termination
// (mark/termination/owst.h), step by step as written there.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/simulate/event_queue.h"
#include "bench/simulate/shared_lines.h"
#include "bench/simulate/simulated_worker.h"

namespace jackdaw::bench {

class SimulatedThreadPool {
 public:
  /// All must outlive the object. `nodes`: the memory node of each worker.
  SimulatedThreadPool(std::span<const std::uint32_t> nodes, const MachineCosts& machine,
                      EventQueue& event_queue)
      : size_(static_cast<std::uint32_t>(nodes.size())),
        machine_(machine),
        event_queue_(event_queue),
        idle_line_(1, nodes, machine) {}

  [[nodiscard]] std::uint32_t size() const { return size_; }

  /// So many helpers, who were woken at 0, come as soon as they are awake, but not before `earliest`. Each
  /// that wakes up wakes two others.
  void expect_woken(std::uint32_t woken, double earliest) {
    for (std::uint32_t i = 1; i <= woken; ++i)
      event_queue_.add({std::max(machine_.wake * std::bit_width(i), earliest), i});
    called_ = on_the_way_ = woken;
  }

  /// The first worker is alone no longer: the others, who have not come, count as idle.
  void go_together(SimulatedWorker& first) {
    idle_ = size_ - 1;
    first.state = SimulatedWorker::State::marking;
  }

  /// Whether somebody has nothing to do.
  [[nodiscard]] bool is_idle() const { return idle_ != 0; }
  /// The same, and what a worker takes to see it.
  [[nodiscard]] bool look_for_idle(SimulatedWorker& worker) {
    worker.now += idle_line_.read(worker.index, 0, worker.now);
    return is_idle();
  }

  /// A worker has something to give away: it wakes a sleeper, or else calls a helper. As many may be on their
  /// way as are at work.
  void wake(SimulatedWorker& worker) {
    if (wake_sleeper(worker) || called_ == size_ - 1 || on_the_way_ > called_ - on_the_way_) return;
    ++on_the_way_;
    call(worker, ++called_);
  }

  /// A worker without tasks: watches, or falls asleep. True: it was the last one.
  bool offer(SimulatedWorker& worker) {
    worker.now += machine_.locked + idle_line_.write(worker.index, 0, worker.now);
    if (++idle_ == size_) return true;
    if (has_master_) {
      fall_asleep(worker);
    } else {
      has_master_ = true;
      worker.waits_left = machine_.waits;
      worker.state = SimulatedWorker::State::watching;
    }
    return false;
  }

  /// The master has looked around, and did or did not see work. True: it is to search.
  bool watch(SimulatedWorker& master, bool sees_work) {
    if (sees_work) {
      has_master_ = false;
      wake_sleeper(master);
      withdraw(master);
    } else if (master.waits_left-- < 1) {
      has_master_ = false;
      fall_asleep(master);
    } else {
      master.now += machine_.wait;
    }
    return sees_work;
  }

  /// A helper that was called has come.
  void join(SimulatedWorker& helper) {
    --on_the_way_;
    withdraw(helper);
    helper.state = SimulatedWorker::State::marking;
  }

  /// A worker is idle no longer.
  void withdraw(SimulatedWorker& worker) {
    worker.now += machine_.locked + idle_line_.write(worker.index, 0, worker.now);
    --idle_;
  }

  /// When all know that the round is over: the sleepers are called one by one, and the caller waits for the
  /// last one to come.
  [[nodiscard]] double all_awake_at(double now) const {
    if (sleepers_.empty()) return now;
    return now + machine_.wake_call * static_cast<double>(sleepers_.size()) + machine_.wake;
  }

 private:
  bool wake_sleeper(SimulatedWorker& worker) {
    if (sleepers_.empty()) return false;
    const std::uint32_t sleeper = sleepers_.back();
    sleepers_.pop_back();
    call(worker, sleeper);
    return true;
  }

  // Calls are made under a lock.
  void call(SimulatedWorker& worker, std::uint32_t called) {
    worker.now = std::max(worker.now, calls_end_) + machine_.wake_call;
    calls_end_ = worker.now;
    event_queue_.add({worker.now + machine_.wake, called});
  }

  void fall_asleep(SimulatedWorker& worker) {
    sleepers_.push_back(worker.index);
    worker.state = SimulatedWorker::State::asleep;
  }

  const std::uint32_t size_;
  const MachineCosts& machine_;
  EventQueue& event_queue_;
  SharedLines idle_line_;                // with the count of idle workers
  std::uint32_t idle_ = 0;               // workers that offer to end the round, and those that have not come
  std::uint32_t called_ = 0;             // helpers called
  std::uint32_t on_the_way_ = 0;         // of them, those that have not come
  std::vector<std::uint32_t> sleepers_;  // that nobody has called
  double calls_end_ = 0;                 // when the lock is free under which workers are called
  bool has_master_ = false;
};

}  // namespace jackdaw::bench
