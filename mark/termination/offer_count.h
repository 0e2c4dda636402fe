// OfferCount: how many workers of a round have offered to end it, which is to say that they hold no task.
//
// When all have, nobody holds a task, so nobody can make one, and the round is over.
//
// Invariants
//  1. A worker is counted only while its own queue, overflow and buffers are empty.
//  2. The count never falls once it has reached the number of workers (until the next round).
//  3. Everything that workers did before they offered is seen by every worker that learns that the round is
//  over.
#pragma once

#include <atomic>
#include <cstdint>

namespace jackdaw::mark {

class OfferCount {
 public:
  /// Before the workers of a round run. Those that are not present have offered already: they hold no task.
  void start_round(std::uint32_t workers, std::uint32_t present) {
    workers_ = workers;
    // Relaxed: the workers are started after this, by a synchronising hand-over.
    offers_.store(workers - present, std::memory_order_relaxed);
  }

  /// A worker that holds no task. True when it is the last one: the round is over.
  bool offer() {
    // Acquire and release: pairs with the other workers' offers, so that the last one has seen all their
    // work.
    return offers_.fetch_add(1, std::memory_order_acq_rel) + 1 == workers_;
  }

  /// A worker that has offered: whether the round is over.
  // Acquire: pairs with the release of the worker that completed the offers.
  [[nodiscard]] bool over() const { return offers_.load(std::memory_order_acquire) == workers_; }

  /// Takes the offer back, so that the worker may hold tasks again. False when the round is over.
  bool withdraw() {
    // Acquire: pairs with the release of the worker that completed the offers, when they turn out complete.
    std::uint32_t offers = offers_.load(std::memory_order_acquire);
    while (offers != workers_) {
      // Acquire: as the load above, for when it fails. When it succeeds relaxed would do: taking an offer
      // back says nothing to anybody, and as a read-modify-write it keeps the earlier releases in view of the
      // last offer.
      if (offers_.compare_exchange_weak(offers, offers - 1, std::memory_order_acquire)) return true;
    }
    return false;
  }

  /// Whether somebody has offered.
  // Relaxed: a hint, asked again at every poll.
  [[nodiscard]] bool any() const { return offers_.load(std::memory_order_relaxed) != 0; }

  /// The count itself, for those that want to look at it often.
  [[nodiscard]] const std::atomic<std::uint32_t>& word() const { return offers_; }

 private:
  // Written when workers run out of tasks or find work; read by all at every poll.
  alignas(128) std::atomic<std::uint32_t> offers_{0};
  std::uint32_t workers_ = 0;
};

}  // namespace jackdaw::mark
