// Workers that end a round together by a termination detector: the parts of a client.
//
// Each worker has a place for one task, where thieves find it, ordered as weakly as a queue may be: whoever
// takes a task sees what its pusher did before, and nothing else. A task is a number n: executing it writes
// results[n], plainly, and pushes task n - 1. A worker that is told that the round is over reads all results,
// plainly: so a worker that was told too early, or that does not see what was done, is a race or a failed
// check.
//
// No worker offers for ever: each offer taken back needs a task that was seen or a call, and there are few of
// them. The checker proves that every wait ends (see `check`).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "tests/verify/verify.h"

namespace verify {

/// A parking lot in which a sleeper waits until it is called or has reason to stay awake, as the real one's
/// does, and learns nothing else by it: no lock orders anything here.
class Parking {
 public:
  template <typename Predicate>
  void park(Predicate stay_awake) {
    while (!stay_awake()) {
      if (calls_.load(std::memory_order_relaxed) != 0 && calls_.exchange(0, std::memory_order_relaxed) != 0)
        return;
    }
  }
  // Calls in a row are one, and one made while nobody sleeps wakes the next to sleep.
  bool wake_one() {
    if (calls_.load(std::memory_order_relaxed) != 0) return false;
    calls_.store(1, std::memory_order_relaxed);
    return true;
  }
  void wake_all() {}

 private:
  std::atomic<std::uint32_t> calls_{0};
};

/// Ways to wait awake: not at all, so that workers sleep after the first look, or for ever.
struct SleepAtOnce {
  static bool wait() { return false; }
};
struct NeverSleep {
  static bool wait() { return true; }
};

/// `kWorkers` workers of which the last begins with task kTasks - 1. Each steals from the one below it, the
/// first from the last. The last kPresent begin at once, the others join late.
template <typename Detector, std::uint32_t kWorkers, std::uint32_t kTasks, bool kWakes,
          std::uint32_t kPresent>
class Team {
 public:
  static inline Detector* detector;

  /// A thread's body.
  template <std::uint32_t kWorker>
  static void* work(void*) {
    const bool is_late = kWorker < kWorkers - kPresent;
    if (!is_late || detector->join(kWorker)) take_part<kWorker>();
    for (const std::uint32_t result : results) CHECK(result == 1);
    return nullptr;
  }

 private:
  static inline std::array<std::uint32_t, kTasks> results;
  // A task's number and 1; 0 when there is none.
  static inline std::array<std::atomic<std::uint32_t>, kWorkers> places;

  template <std::uint32_t kWorker>
  static void take_part() {
    std::uint32_t task = kTasks - 1;
    bool found = kWorker == kWorkers - 1;
    for (;;) {
      while (found) {
        execute(kWorker, task);
        found = pop(kWorker, task);
      }
      found = steal(kWorker, task);
      if (!found && detector->offer(kWorker, [] { return work_in_sight(kWorker); })) return;
    }
  }

  static void execute(std::uint32_t worker, std::uint32_t task) {
    results[task] = 1;
    if (task == 0) return;
    places[worker].store(task, std::memory_order_release);
    if (kWakes && detector->idle()) detector->wake();
  }

  static bool pop(std::uint32_t worker, std::uint32_t& task) {
    const std::uint32_t found = places[worker].exchange(0, std::memory_order_relaxed);
    task = found - 1;
    return found != 0;
  }

  static bool steal(std::uint32_t thief, std::uint32_t& task) {
    // As a victim policy may refuse a victim that looks empty.
    if (!work_in_sight(thief)) return false;
    const std::uint32_t victim = (thief + kWorkers - 1) % kWorkers;
    detector->before_steal(thief, victim);
    std::uint32_t found = places[victim].load(std::memory_order_relaxed);
    task = found - 1;
    return found != 0 && places[victim].compare_exchange_strong(found, 0, std::memory_order_acquire,
                                                                std::memory_order_relaxed);
  }

  static bool work_in_sight(std::uint32_t worker) {
    return places[(worker + kWorkers - 1) % kWorkers].load(std::memory_order_relaxed) != 0;
  }
};

/// A whole round of two or three workers. `kWakes`: workers with tasks wake those that sleep.
template <std::uint32_t kWorkers, std::uint32_t kTasks, bool kWakes, std::uint32_t kPresent = kWorkers,
          typename Detector>
void run_round(Detector& detector) {
  using Round = Team<Detector, kWorkers, kTasks, kWakes, kPresent>;
  Round::detector = &detector;
  detector.start_round(kWorkers, kPresent);
  const Thread first = start(Round::template work<1>, nullptr);
  Thread second = 0;
  if constexpr (kWorkers > 2) second = start(Round::template work<2>, nullptr);
  Round::template work<0>(nullptr);
  join(first);
  if constexpr (kWorkers > 2) join(second);
}

}  // namespace verify
