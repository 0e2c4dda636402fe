// RingTerminator: termination by a coloured token that idle workers hand around.
//
// Source: Dijkstra, Feijen and van Gasteren, "Derivation of a Termination Detection Algorithm for Distributed
// Computations", Information Processing Letters 16 (1983), EWD 840. There is no count: a worker shares lines
// with its neighbours alone.
//
// The token goes from worker 0 to the last, and down from there to worker 0 again; only an idle worker hands
// it on. A worker whose task went to one of higher number turns black, because the token may have passed the
// receiver already. A black worker blackens the token when it hands it on, and is white again. When the token
// comes back white to a white and idle worker 0, nobody holds a task: the round is over. Else it starts anew.
//
// In the paper, who gives work away blackens itself. Here work is not given but stolen, so the thief blackens
// the victim, before it steals. Both the blackening and the victim's look at its colour are
// read-modify-writes of one word, so one of them comes first. Either the victim sees that it is black, or the
// thief comes after the victim found its queue empty. Then it gets nothing of what was there before: all that
// had been claimed already, and a queue gives no task twice.
//
// Invariant (the paper's): when worker t has the token, all workers above t are idle, or some worker from 0
// to t is black, or the token is black.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "mark/termination/backoff.h"
#include "mark/termination/parking_lot.h"
#include "mark/termination/terminator.h"

namespace jackdaw::mark {

/// The protocol. `Parking` is where workers sleep (see ParkingLot), `Waiting` how they wait awake (see
/// Backoff).
template <typename Parking, typename Waiting>
class BasicRingTerminator {
 public:
  /// Throws std::bad_alloc.
  BasicRingTerminator(std::uint32_t most_workers, Waiting backoff)
      : stations_(new Station[most_workers]), backoff_(backoff) {}

  /// Before the workers of a round run; no thread is in offer().
  void start_round(std::uint32_t workers, std::uint32_t) {
    workers_ = workers;
    // Relaxed, all: the workers are started after this, by a synchronising hand-over.
    for (std::uint32_t i = 0; i < workers; ++i) {
      stations_[i].black.store(false, std::memory_order_relaxed);
      stations_[i].token.store(Token::elsewhere, std::memory_order_relaxed);
    }
    // As if a round trip had just failed: worker 0 begins the first one when it is idle.
    stations_[0].token.store(Token::black, std::memory_order_relaxed);
    idle_.store(0, std::memory_order_relaxed);
    over_.store(false, std::memory_order_relaxed);
  }

  /// The token goes through every worker's hands: the round waits for those that come late.
  [[nodiscard]] static bool takes_late_workers() { return false; }
  static bool join(std::uint32_t) { return true; }

  /// A worker that holds no task. True: the round is over. False: look for work again.
  template <typename WorkInSight>
  bool offer(std::uint32_t worker, WorkInSight work_in_sight) {
    // Relaxed, here and below: a hint for those that are busy.
    idle_.fetch_add(1, std::memory_order_relaxed);
    for (;;) {
      Waiting backoff = backoff_;
      do {
        hand_on_token(worker);
        if (over()) return true;
        if (work_in_sight()) {
          idle_.fetch_sub(1, std::memory_order_relaxed);
          return false;
        }
      } while (backoff.wait());
      sleepers_.park([&] { return over() || has_token(worker); });
    }
  }

  /// Blackens the victim when its task would pass the token.
  void before_steal(std::uint32_t thief, std::uint32_t victim) {
    if (thief < victim) return;
    // Acquire: pairs with no release; it keeps the steal after this. So a thief that comes after the exchange
    // in was_black(), too late to be noticed, claims after it, too. See the top of this file.
    stations_[victim].black.exchange(true, std::memory_order_acquire);
  }

  /// Whether some worker has nothing to do.
  // Relaxed: a hint, asked again at every poll.
  [[nodiscard]] bool idle() const { return idle_.load(std::memory_order_relaxed) != 0; }
  [[nodiscard]] const std::atomic<std::uint32_t>& idle_workers() const { return idle_; }

  /// A worker that has something to steal in its queue: wakes a sleeper. False when nobody slept.
  bool wake() { return sleepers_.wake_one(); }

 private:
  enum class Token : std::uint8_t { elsewhere, white, black };

  struct alignas(128) Station {
    std::atomic<bool> black{false};
    std::atomic<Token> token{Token::elsewhere};
  };

  // Acquire: pairs with the release in hand_on_token, so that all that was done in the round is seen after
  // it.
  [[nodiscard]] bool over() const { return over_.load(std::memory_order_acquire); }

  // Relaxed: the load in hand_on_token, after waking, orders.
  [[nodiscard]] bool has_token(std::uint32_t worker) const {
    return stations_[worker].token.load(std::memory_order_relaxed) != Token::elsewhere;
  }

  // Relaxed: a blackening that is seen here says nothing else. That the queue was found empty comes before
  // this without help: the worker asks only after it has gone one way on what it read of the claims.
  bool was_black(std::uint32_t worker) {
    return stations_[worker].black.exchange(false, std::memory_order_relaxed);
  }

  // An idle worker's part in the token's way, if the token is here.
  void hand_on_token(std::uint32_t worker) {
    Station& here = stations_[worker];
    // Acquire: pairs with the release below, so that what the earlier holders did is handed on, too.
    const Token token = here.token.load(std::memory_order_acquire);
    if (token == Token::elsewhere) return;
    const bool white = !was_black(worker) && token == Token::white;
    if (worker == 0 && (white || workers_ == 1)) {
      // Release: pairs with the acquire in over().
      over_.store(true, std::memory_order_release);
      sleepers_.wake_all();
      return;
    }
    // Relaxed: only this worker looks at it until the token comes round again.
    here.token.store(Token::elsewhere, std::memory_order_relaxed);
    const std::uint32_t next = worker == 0 ? workers_ - 1 : worker - 1;
    // Release: pairs with the acquire above.
    stations_[next].token.store(worker == 0 || white ? Token::white : Token::black,
                                std::memory_order_release);
    // Without asking whether somebody sleeps: a glance could miss the next worker as it falls asleep.
    sleepers_.wake_all();
  }

  const std::unique_ptr<Station[]> stations_;
  std::uint32_t workers_ = 0;
  const Waiting backoff_;
  // Written when workers run out of tasks or find work; read by all at every poll.
  alignas(128) std::atomic<std::uint32_t> idle_{0};
  std::atomic<bool> over_{false};
  Parking sleepers_;
};

class RingTerminator : public BasicRingTerminator<ParkingLot, Backoff> {
 public:
  explicit RingTerminator(const TerminatorSetup& setup)
      : BasicRingTerminator(setup.most_workers, setup.backoff) {}
};

static_assert(Terminator<RingTerminator>);

}  // namespace jackdaw::mark
