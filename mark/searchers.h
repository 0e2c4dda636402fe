// Searchers: how many workers without tasks look for some, and when one of them gives up.
//
// Sources: Hassanein, "Understanding and Improving JVM GC Work Stealing at the Data Center Scale", ISMM 2016
// ("optimized work stealing threads"), as in OpenJDK's TaskTerminator, for the master; the Go scheduler, for
// a bound on those that search.
//
// A worker without tasks searches the others' queues. When it finds nothing it becomes the master, if there
// is none, and looks around, ever more seldom, as the back-off says. The others leave, and so does the master
// in the end: they return to the thread pool, and sleep there until they are called back. A worker that finds
// enough others searching gives up without a search: whoever searches slows down those that work, by the
// lines that both look at. When all have left the round is over: a worker leaves without tasks, and only
// workers make tasks. The thread pool counts them, under its lock; all that is here are hints.
#pragma once

#include <atomic>
#include <cstdint>

#include "mark/backoff.h"

namespace jackdaw::mark {

class Searchers {
 public:
  explicit Searchers(Backoff backoff) : backoff_(backoff) {}

  /// Before the workers of a round run.
  // Relaxed, here and below: it guards no data.
  void start_round() { searchers_.store(0, std::memory_order_relaxed); }

  /// A worker that has run out of tasks searches. False: `most` others or more do, and it is to give up at
  /// once. Either way it counts until end(), or until stays() is false.
  bool begin(std::uint32_t most) {
    return (searchers_.fetch_add(1, std::memory_order_relaxed) & ~kMaster) < most;
  }
  /// It has found some.
  void end() { searchers_.fetch_sub(1, std::memory_order_relaxed); }
  /// How many search.
  [[nodiscard]] std::uint32_t count() const { return searchers_.load(std::memory_order_relaxed) & ~kMaster; }

  /// A worker that searches has found nothing. Returns true when it should search again, because
  /// `sees_work()`. False: it searches no longer, and is to leave: there is a master, or it was the master
  /// for long, or `is_alone()`, which is whether it is the only worker.
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
  // Beside the number of those that search.
  static constexpr std::uint32_t kMaster = std::uint32_t{1} << 31;

  // Otherwise the worker searches no longer.
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
