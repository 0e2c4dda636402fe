// Terminator: how workers find out together that there is nothing left to do.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <string_view>

#include "mark/termination/backoff.h"

namespace jackdaw::mark {

/// What a detector is made from.
struct TerminatorSetup {
  std::uint32_t most_workers = 1;  ///< that any round will have
  Backoff backoff;                 ///< how idle workers wait
  /// Which detector, for AnyTerminator; the detectors themselves do not look.
  std::string_view name = {};
};

/// A termination detector for many rounds, each with its number of workers.
///
/// `start_round(n)` is called by one thread before the round's n workers run. A worker that holds no task of
/// any kind calls `offer(worker, work_in_sight)`, which returns true when all n workers have offered (the
/// round is over), and false when the worker should look for work again, because `work_in_sight()` said so or
/// somebody woke it. Until offer returns, the worker's queue stays empty.
///
/// A thief calls `before_steal(thief, victim)` before every attempt. A worker with tasks polls `hungry()`,
/// which is whether `idle_workers()` is not 0: one load, from a line that is written only when workers run
/// dry or find work. When it is true and there is something to steal, the worker calls `wake()`.
template <typename Detector>
concept Terminator = std::constructible_from<Detector, const TerminatorSetup&> &&
    requires(Detector& detector, const Detector& unchanged, bool (*work_in_sight)(), std::uint32_t worker) {
  detector.start_round(worker);
  { detector.offer(worker, work_in_sight) } -> std::same_as<bool>;
  detector.before_steal(worker, worker);
  { unchanged.hungry() } -> std::same_as<bool>;
  { unchanged.idle_workers() } -> std::same_as<const std::atomic<std::uint32_t>&>;
  detector.wake();
};

}  // namespace jackdaw::mark
