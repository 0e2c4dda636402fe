// OwstTerminator: termination with one spinning master while the other idle workers sleep.
//
// Source: Hassanein, "Understanding and Improving JVM GC Work Stealing at the Data Center Scale", ISMM 2016
// ("optimized work stealing threads"); OpenJDK's TaskTerminator is built to the same protocol.
//
// A worker without tasks adds itself to the offers (see offer_count.h for what follows from that). The first
// idle worker becomes the master, which looks for work in others' queues, ever more seldom, as the back-off
// says. The other idle workers sleep at once. A worker that has something to give away and sees sleepers
// wakes one; a worker that finds work in sight wakes the next one, so that waking spreads.
#pragma once

#include <atomic>
#include <cstdint>

#include "mark/termination/backoff.h"
#include "mark/termination/offer_count.h"
#include "mark/termination/parking_lot.h"
#include "mark/termination/terminator.h"

namespace jackdaw::mark {

/// The protocol. `Parking` is where workers sleep (see ParkingLot), `Waiting` how they wait awake (see
/// Backoff).
template <typename Parking, typename Waiting>
class BasicOwstTerminator {
 public:
  explicit BasicOwstTerminator(Waiting backoff) : backoff_(backoff) {}

  /// Before the workers of a round run; no thread is in offer().
  void start_round(std::uint32_t workers, std::uint32_t present) {
    offers_.start_round(workers, present);
    // Relaxed: the workers are started after this, by a synchronising hand-over.
    master_present_.store(false, std::memory_order_relaxed);
  }

  /// Whether workers may come after the round has begun, or not at all.
  [[nodiscard]] static bool takes_late_workers() { return true; }
  /// A worker that was not present when the round began. False: the round is over.
  bool join(std::uint32_t) { return offers_.withdraw(); }

  /// A worker that holds no task. True: the round is over. False: look for work again.
  template <typename WorkInSight>
  bool offer(std::uint32_t, WorkInSight work_in_sight) {
    if (offers_.offer()) {
      sleepers_.wake_all();
      return true;
    }
    return become_master() ? watch(work_in_sight) : sleep();
  }

  void before_steal(std::uint32_t, std::uint32_t) {}

  /// Whether some worker has nothing to do.
  [[nodiscard]] bool idle() const { return offers_.any(); }
  [[nodiscard]] const std::atomic<std::uint32_t>& idle_workers() const { return offers_.word(); }

  /// A worker that has something to steal in its queue: wakes a sleeper. False when nobody slept.
  bool wake() { return sleepers_.wake_one(); }

 private:
  bool become_master() {
    // Relaxed, both: the flag guards no data, only who spins.
    return !master_present_.load(std::memory_order_relaxed) &&
           !master_present_.exchange(true, std::memory_order_relaxed);
  }

  // The master looks for work, ever more seldom, then sleeps like the others.
  template <typename WorkInSight>
  bool watch(WorkInSight work_in_sight) {
    Waiting backoff = backoff_;
    do {
      if (offers_.over()) return true;
      if (work_in_sight()) {
        step_down();
        wake();
        return !offers_.withdraw();
      }
    } while (backoff.wait());
    step_down();
    return sleep();
  }

  // Relaxed: as in become_master.
  void step_down() { master_present_.store(false, std::memory_order_relaxed); }

  bool sleep() {
    sleepers_.park([this] { return offers_.over(); });
    return !offers_.withdraw();
  }

  OfferCount offers_;
  alignas(128) std::atomic<bool> master_present_{false};
  const Waiting backoff_;
  Parking sleepers_;
};

class OwstTerminator : public BasicOwstTerminator<ParkingLot, Backoff> {
 public:
  explicit OwstTerminator(const TerminatorSetup& setup) : BasicOwstTerminator(setup.backoff) {}
};

static_assert(Terminator<OwstTerminator>);

}  // namespace jackdaw::mark
