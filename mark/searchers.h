// Searchers: how many idle workers search for tasks, and when one of them leaves the round (termination).
//
// Sources: Hassanein, "Understanding and Improving JVM GC Work Stealing at the Data Center Scale", ISMM 2016
// ("optimized work stealing threads"), as in OpenJDK's TaskTerminator, for the master; the Go scheduler, for
// a bound on those that search.
//
// A worker without tasks searches the others' queues. If it finds nothing and there is no master, it becomes
// the master, which looks again and again, ever more seldom, as Backoff says. Other workers leave at once,
// and the master leaves in the end: they return to the thread pool and sleep there until they are called
// back. A worker that finds enough others searching leaves without a search, since searching slows down the
// busy workers, whose lines it reads. A worker leaves without tasks, and only workers make tasks, so the
// round is over when all have left. ThreadPool counts that under its lock; all counts here are hints.
#pragma once

#include <atomic>
#include <cstdint>

#include "mark/backoff.h"

namespace jackdaw::mark {

class Searchers {
 public:
  explicit Searchers(Backoff backoff) : backoff_(backoff) {}

  /// To be called before the workers of a round run.
  // Relaxed, everywhere here: the word guards no data.
  void start_round() { searchers_.store(0, std::memory_order_relaxed); }

  /// Counts a worker that has run out of tasks as searching, until end() or until stays() is false. Returns
  /// false when at least `most` others search: then it must call stays() at once.
  bool begin(std::uint32_t most) {
    return (searchers_.fetch_add(1, std::memory_order_relaxed) & ~kMaster) < most;
  }
  /// Counts the worker no longer, as it has found tasks.
  void end() { searchers_.fetch_sub(1, std::memory_order_relaxed); }
  /// Returns how many workers search.
  [[nodiscard]] std::uint32_t count() const { return searchers_.load(std::memory_order_relaxed) & ~kMaster; }

  /// To be called after a search in vain. Returns true when the worker should search again, because
  /// `sees_work()`. False: it counts no longer and must leave, because there is another master, or it was the
  /// master for long enough, or it `is_alone()`, the only worker at work.
  template <typename SeesWork, typename IsAlone>
  bool stays(SeesWork sees_work, IsAlone is_alone) {
    if (!becomes_master()) return false;
    Backoff backoff = backoff_;
    bool sees = false;
    while (!is_alone() && !(sees = sees_work()) && backoff.wait()) continue;
    searchers_.fetch_sub(sees ? kMaster : kMaster + 1, std::memory_order_relaxed);
    return sees;
  }

 private:
  // The master's bit, above the number of those that search.
  static constexpr std::uint32_t kMaster = std::uint32_t{1} << 31;

  // Makes the worker the master if there is none; otherwise it counts no longer as searching.
  bool becomes_master() {
    std::uint32_t before = searchers_.load(std::memory_order_relaxed);
    std::uint32_t after = 0;
    do {
      after = (before & kMaster) != 0 ? before - 1 : before | kMaster;
    } while (!searchers_.compare_exchange_weak(before, after, std::memory_order_relaxed));
    return (before & kMaster) == 0;
  }

  const Backoff backoff_;
  alignas(128) std::atomic<std::uint32_t> searchers_{0};
};

}  // namespace jackdaw::mark
