// OwstTerminator: termination with one spinning master while the other idle workers sleep.
//
// Source: Hassanein, "Understanding and Improving JVM GC Work Stealing at the Data Center Scale", ISMM 2016
// ("optimized work stealing threads"); OpenJDK's TaskTerminator is built to the same protocol.
//
// A worker without tasks adds itself to the offers. When the offers reach the number of workers, nobody holds
// a task, so nobody can make one: the round is over. Until then the first idle worker becomes the master,
// which looks for work in others' queues: it spins a little, then yields the processor between looks, then
// sleeps. The other idle workers sleep at once. A worker that has something to give away and sees sleepers
// wakes one; a worker that finds work in sight wakes the next one, so that waking spreads.
//
// Invariants
//  1. A worker is counted in the offers only while its own queue, overflow and buffers are empty.
//  2. The offers never fall once they have reached the number of workers (until the next round).
//  3. Everything that workers did before they offered is seen by every worker that learns that the round is
//  over.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "mark/spin.h"
#include "mark/termination/parking_lot.h"
#include "mark/termination/terminator.h"

namespace jackdaw::mark {

class OwstTerminator {
 public:
  /// Before the workers of a round run; no thread is in offer().
  void start_round(std::uint32_t workers) {
    workers_ = workers;
    // Relaxed, both: the workers are started after this, by a synchronising hand-over.
    offers_.store(0, std::memory_order_relaxed);
    master_present_.store(false, std::memory_order_relaxed);
  }

  /// A worker that holds no task. True: the round is over. False: look for work again.
  template <typename WorkInSight>
  bool offer(WorkInSight work_in_sight) {
    // Acquire and release: pairs with the other workers' offers, so that the last one has seen all their
    // work.
    if (offers_.fetch_add(1, std::memory_order_acq_rel) + 1 == workers_) {
      sleepers_.wake_all();
      return true;
    }
    return become_master() ? watch(work_in_sight) : sleep();
  }

  /// Whether some worker has nothing to do. One load of a line that is written only when workers run dry.
  // Relaxed: a hint, asked again at every task.
  [[nodiscard]] bool hungry() const { return offers_.load(std::memory_order_relaxed) != 0; }

  /// A worker that has something to steal in its queue: wakes a sleeper, if there is one.
  void wake() {
    if (sleepers_.has_uncalled_sleeper()) sleepers_.wake_one();
  }

 private:
  static constexpr int kSpins = 40;
  static constexpr int kPausesPerSpin = 16;
  static constexpr int kYields = 40;

  // Acquire: pairs with the release of the worker that completed the offers.
  [[nodiscard]] bool over() const { return offers_.load(std::memory_order_acquire) == workers_; }

  bool become_master() {
    // Relaxed, both: the flag guards no data, only who spins.
    return !master_present_.load(std::memory_order_relaxed) &&
           !master_present_.exchange(true, std::memory_order_relaxed);
  }

  // The master looks for work, ever more seldom, then sleeps like the others.
  template <typename WorkInSight>
  bool watch(WorkInSight work_in_sight) {
    for (int look = 0; look < kSpins + kYields; ++look) {
      if (over()) return true;
      if (work_in_sight()) {
        step_down();
        wake();
        return !withdraw();
      }
      if (look < kSpins) {
        for (int i = 0; i < kPausesPerSpin; ++i) pause_core();
      } else {
        std::this_thread::yield();
      }
    }
    step_down();
    return sleep();
  }

  // Relaxed: as in become_master.
  void step_down() { master_present_.store(false, std::memory_order_relaxed); }

  bool sleep() {
    sleepers_.park([this] { return over(); });
    return !withdraw();
  }

  // Takes the offer back, so that this worker may hold tasks again. False when the round is over.
  bool withdraw() {
    // Acquire: pairs with the release of the worker that completed the offers, when they turn out complete.
    std::uint32_t offers = offers_.load(std::memory_order_acquire);
    while (offers != workers_) {
      // Acquire: as the load above, for when it fails. When it succeeds relaxed would do: taking an offer
      // back says nothing to anybody, and as a read-modify-write it keeps the earlier releases in view of the
      // last offer.
      if (offers_.compare_exchange_weak(offers, offers - 1, std::memory_order_acquire)) {
        return true;
      }
    }
    return false;
  }

  // Written when workers run dry or find work; read by all at every task.
  alignas(128) std::atomic<std::uint32_t> offers_{0};
  std::uint32_t workers_ = 0;
  alignas(128) std::atomic<bool> master_present_{false};
  ParkingLot sleepers_;
};

static_assert(Terminator<OwstTerminator>);

}  // namespace jackdaw::mark
