// CounterTerminator: termination by one shared count of who still holds work; all idle workers watch it.
//
// The simplest detector that is right. Work is counted by worker, not by task: a worker that holds any task
// counts as one piece of work, so nothing is counted while it pushes and pops. Kept as its complement, the
// workers that hold none (see offer_count.h). An idle worker looks for work in others' queues and joins the
// holders again before it steals. Unlike with OWST there is no master: every idle worker looks, and reads the
// count, so both lines travel among all of them.
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
class BasicCounterTerminator {
 public:
  explicit BasicCounterTerminator(Waiting backoff) : backoff_(backoff) {}

  /// Before the workers of a round run; no thread is in offer().
  void start_round(std::uint32_t workers, std::uint32_t present) { offers_.start_round(workers, present); }

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
    Waiting backoff = backoff_;
    do {
      if (offers_.over()) return true;
      if (work_in_sight()) return !offers_.withdraw();
    } while (backoff.wait());
    sleepers_.park([this] { return offers_.over(); });
    return !offers_.withdraw();
  }

  void before_steal(std::uint32_t, std::uint32_t) {}

  /// Whether some worker has nothing to do.
  [[nodiscard]] bool idle() const { return offers_.any(); }
  [[nodiscard]] const std::atomic<std::uint32_t>& idle_workers() const { return offers_.word(); }

  /// A worker that has something to steal in its queue: wakes a sleeper. False when nobody slept.
  bool wake() { return sleepers_.wake_one(); }

 private:
  OfferCount offers_;
  const Waiting backoff_;
  Parking sleepers_;
};

class CounterTerminator : public BasicCounterTerminator<ParkingLot, Backoff> {
 public:
  explicit CounterTerminator(const TerminatorSetup& setup) : BasicCounterTerminator(setup.backoff) {}
};

static_assert(Terminator<CounterTerminator>);

}  // namespace jackdaw::mark
