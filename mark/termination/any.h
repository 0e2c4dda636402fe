// AnyTerminator: a termination detector that is chosen by name at run time.
//
// Idle workers go through a switch, which does not matter to them. What busy workers look at, the word of
// idle_workers(), is the detector's own.
#pragma once

#include <atomic>
#include <cstdint>
#include <variant>

#include "mark/chosen_variant.h"
#include "mark/termination/choices.h"
#include "mark/termination/terminator.h"

namespace jackdaw::mark {

class AnyTerminator {
 public:
  /// The detector `setup.name`; empty: the default. Throws std::invalid_argument when there is none of that
  /// name, and std::bad_alloc.
  explicit AnyTerminator(const TerminatorSetup& setup)
      : detector_(Chosen::make("termination detector", setup)),
        idle_(std::visit([](const auto& detector) { return &detector.idle_workers(); }, detector_)) {}

  void start_round(std::uint32_t workers, std::uint32_t present) {
    std::visit([&](auto& detector) { detector.start_round(workers, present); }, detector_);
  }
  [[nodiscard]] bool takes_late_workers() const {
    return std::visit([](const auto& detector) { return detector.takes_late_workers(); }, detector_);
  }
  bool join(std::uint32_t worker) {
    return std::visit([&](auto& detector) { return detector.join(worker); }, detector_);
  }
  template <typename WorkInSight>
  bool offer(std::uint32_t worker, WorkInSight work_in_sight) {
    return std::visit([&](auto& detector) { return detector.offer(worker, work_in_sight); }, detector_);
  }
  void before_steal(std::uint32_t thief, std::uint32_t victim) {
    std::visit([&](auto& detector) { detector.before_steal(thief, victim); }, detector_);
  }
  // Relaxed: a hint, asked again at every poll.
  [[nodiscard]] bool idle() const { return idle_->load(std::memory_order_relaxed) != 0; }
  bool wake() {
    return std::visit([](auto& detector) { return detector.wake(); }, detector_);
  }
  [[nodiscard]] const std::atomic<std::uint32_t>& idle_workers() const { return *idle_; }

 private:
  using Chosen = ChosenVariant<TerminatorChoices>;
  Chosen::Type detector_;
  const std::atomic<std::uint32_t>* const idle_;
};

static_assert(Terminator<AnyTerminator>);

}  // namespace jackdaw::mark
