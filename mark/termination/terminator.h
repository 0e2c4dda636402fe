// Terminator: how workers find out together that there is nothing left to do.
#pragma once

#include <concepts>
#include <cstdint>

namespace jackdaw::mark {

/// A termination detector for a fixed number of workers and many rounds.
///
/// `start_round(n)` is called by one thread before the round's n workers run. A worker that holds no task of
/// any kind calls `offer(work_in_sight)`, which returns true when all n workers have offered (the round is
/// over), and false when the worker should look for work again, because `work_in_sight()` said so or somebody
/// woke it. Until offer returns, the worker's queue stays empty.
///
/// A worker with tasks polls `hungry()`; when it is true and there is something to steal, it calls `wake()`.
template <typename Detector>
concept Terminator = std::default_initializable<Detector> &&
    requires(Detector& detector, const Detector& unchanged, bool (*work_in_sight)()) {
  detector.start_round(std::uint32_t{1});
  { detector.offer(work_in_sight) } -> std::same_as<bool>;
  { unchanged.hungry() } -> std::same_as<bool>;
  detector.wake();
};

}  // namespace jackdaw::mark
