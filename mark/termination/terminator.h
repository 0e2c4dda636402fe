// Terminator: how workers find out together that there is nothing left to do.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <string_view>

#include "mark/termination/backoff.h"

namespace jackdaw::mark {

/// The parameters that a detector is constructed with.
struct TerminatorSetup {
  std::uint32_t most_workers = 1;  ///< that any round will have
  Backoff backoff;                 ///< how idle workers wait
  /// Which detector, for AnyTerminator; the detectors themselves do not look.
  std::string_view name = {};
};

/// A termination detector for many rounds, each with its number of workers.
///
/// `start_round(n, present)` is called by one thread before the workers run, of which there are n at most.
/// `present` of them, at least one, begin at once. Any of the others may come later: it calls `join(worker)`
/// first, and does no work when that is false because the round is over. When `takes_late_workers()` is
/// false, all must come for the round to end, however late.
///
/// A worker that holds no task of any kind calls `offer(worker, work_in_sight)`, which returns true when all
/// n workers have offered or never came (the round is over), and false when the worker should look for work
/// again, because `work_in_sight()` said so or somebody woke it. Until offer returns, the worker's queue
/// stays empty.
///
/// A thief calls `before_steal(thief, victim)` before every attempt. A worker with tasks polls `idle()`,
/// which is whether `idle_workers()` is not 0: one load, from a line that is written only when workers run
/// out of tasks or find work; those that have not come count as without. When it is true and there is
/// something to steal, the worker calls `wake()`, which says whether it called a sleeper.
template <typename Detector>
concept Terminator = std::constructible_from<Detector, const TerminatorSetup&> &&
    requires(Detector& detector, const Detector& unchanged, bool (*work_in_sight)(), std::uint32_t worker) {
  detector.start_round(worker, worker);
  { unchanged.takes_late_workers() } -> std::same_as<bool>;
  { detector.join(worker) } -> std::same_as<bool>;
  { detector.offer(worker, work_in_sight) } -> std::same_as<bool>;
  detector.before_steal(worker, worker);
  { unchanged.idle() } -> std::same_as<bool>;
  { unchanged.idle_workers() } -> std::same_as<const std::atomic<std::uint32_t>&>;
  { detector.wake() } -> std::same_as<bool>;
};

}  // namespace jackdaw::mark
