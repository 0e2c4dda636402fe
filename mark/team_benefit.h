// TeamBenefit: whether the first worker is to mark alone or with the team, learned from earlier markings.
//
// Two workers mark some heaps slower than one: where the lines that hold marks travel between their caches,
// or where most of the heap hangs on one list. It depends on program and machine, so it is a bandit with two
// arms. The price of an arm is the least cost of a reference in its last two markings, since interruptions
// only add to it. The cheaper arm is taken. The other is tried again after a number of markings that grows
// with its expected loss and doubles with each trial that confirms the choice. A trial of marking alone ends
// early when it has lost a tenth of a marking. A trial that may mislead is repeated at once: the first one of
// marking alone, which finds much of the heap in other processors' caches and its queue's memory untouched,
// and one that cost little more than the other arm, as a helper may have woken late.
//
// Source: the explore-then-exploit schedules of Auer, Cesa-Bianchi and Fischer, "Finite-time Analysis of the
// Multiarmed Bandit Problem", Machine Learning 2002, with what is known of the arms put in.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace jackdaw::mark {

/// One engine's. Times are in nanoseconds. One thread at a time.
class TeamBenefit {
 public:
  /// The arm that was not taken is tried again after this number of markings at least, and this number at
  /// most.
  static constexpr std::uint32_t kFewestMarkingsBetweenTrials = 4;
  static constexpr std::uint32_t kMostMarkingsBetweenTrials = 64;

  /// `small_references`: a heap with fewer is marked alone first, since waking helpers costs much there.
  explicit TeamBenefit(std::uint64_t small_references) : small_references_(small_references) {}

  /// Before a marking.
  void start_marking() {
    const bool is_other_due = markings_ > 1 && (repeats_trial_ || is_due(!prefers_alone()));
    is_trial_ = is_other_due;
    is_alone_ = prefers_alone() != is_other_due;
    was_ended_ = false;
    judged_from_ = 0;
  }

  /// Whether the first worker is to begin alone, and to go on so even though others could help.
  [[nodiscard]] bool is_alone() const { return is_alone_; }

  /// Whether the team is to show what it costs: helpers that are called late would make it look dear.
  [[nodiscard]] bool tries_team() const { return !is_alone_ && (is_trial_ || !team_.is_known()); }

  /// While alone, after `references` references and `time` since the round began: whether the first worker is
  /// to go on alone. If not, the team takes part from now on.
  bool goes_on_alone(std::uint64_t references, double time) {
    // The first references, roots and what they lead to, are not like the rest.
    if (judged_from_ == 0) {
      judged_from_ = references;
      judged_time_ = time;
    }
    if (!is_trial_ && references > 2 * last_references_) return end_alone();
    if (!team_.has_cost()) return true;
    const double lost = time - judged_time_ - team_.cost() * static_cast<double>(references - judged_from_);
    const double whole = team_.cost() * static_cast<double>(last_references_);
    if (lost <= (is_trial_ ? kMostLostByTrial : kMostLost) * whole) return true;
    note(true, (time - judged_time_) / static_cast<double>(references - judged_from_));
    return end_alone();
  }

  /// After goes_on_alone() has said so: the number of references after which it is to be asked again.
  [[nodiscard]] std::uint64_t references_between_checks() const { return last_references_ / kChecks; }

  /// After the marking's first round. `team_took_part` need not be what is_alone() said: a round with objects
  /// to visit again is always the team's.
  void finish(std::uint64_t references, double time, bool team_took_part) {
    last_references_ = references;
    if (!was_ended_) note(!team_took_part, time / static_cast<double>(references));
    ++markings_;
    // The costs of a much smaller heap say little.
    if (references <= largest_ + largest_ / 2) return;
    largest_ = references;
    arm(!prefers_alone()).forget_confirmations();
  }

 private:
  // One way of marking.
  class Arm {
   public:
    [[nodiscard]] bool has_cost() const { return costs_[0] != 0; }
    /// The cost of a reference; 0 when it is not known.
    [[nodiscard]] double cost() const { return costs_[1] != 0 ? std::min(costs_[0], costs_[1]) : costs_[0]; }
    /// Whether it was taken, or was to be, beyond the first marking, in which all memory is cold.
    [[nodiscard]] bool is_known() const { return is_known_; }
    [[nodiscard]] std::uint32_t markings_since() const { return markings_since_; }
    [[nodiscard]] std::uint32_t least_wait() const { return least_wait_; }

    void take(double cost, bool is_cold) {
      costs_ = {cost, markings_since_ < kStale ? costs_[0] : 0};
      markings_since_ = 0;
      is_known_ = is_known_ || !is_cold;
    }
    void pass_over() { ++markings_since_; }
    /// It was to be tried, and the marking went the other way.
    void put_off() {
      markings_since_ = 0;
      is_known_ = true;
    }
    void confirm_worse() { least_wait_ = std::min(2 * least_wait_, kMostMarkingsBetweenTrials); }
    void forget_confirmations() {
      least_wait_ = kFewestMarkingsBetweenTrials;
      markings_since_ = kMostMarkingsBetweenTrials;
    }

   private:
    // A cost that is this number of markings old is not compared with a new one of the same arm.
    static constexpr std::uint32_t kStale = 2;

    std::array<double, 2> costs_{};  // the newest first
    std::uint32_t markings_since_ = 0;
    std::uint32_t least_wait_ = kFewestMarkingsBetweenTrials;
    bool is_known_ = false;
  };

  // Trials may cost this share of all marking time.
  static constexpr double kExploration = 0.1;
  // Shares of a marking that marking alone may lose to the team before the team is called.
  static constexpr double kMostLostByTrial = 0.1;
  static constexpr double kMostLost = 0.25;
  // A trial is repeated whose arm was dearer than the other by less than this factor; the second is for the
  // first trial of marking alone.
  static constexpr double kNearlyAsCheap = 1.06;
  static constexpr double kPerhapsCold = 3;
  // How often a marking of the usual size asks whether to go on alone: each time reads the clock.
  static constexpr std::uint64_t kChecks = 64;

  Arm& arm(bool alone) { return alone ? alone_ : team_; }
  [[nodiscard]] const Arm& arm(bool alone) const { return alone ? alone_ : team_; }

  [[nodiscard]] bool prefers_alone() const {
    const bool expects_alone = last_references_ != 0 && last_references_ < small_references_;
    if (!arm(!expects_alone).is_known()) return expects_alone;
    return alone_.has_cost() && alone_.cost() < team_.cost();
  }

  // Whether the arm that is not preferred is to be tried.
  [[nodiscard]] bool is_due(bool alone) const {
    const Arm& other = arm(alone);
    if (!other.is_known()) return true;
    const double loss = other.cost() / arm(!alone).cost() - 1;
    const double wait = (alone ? std::min(loss, kMostLostByTrial) : loss) / kExploration;
    return other.markings_since() >= kMostMarkingsBetweenTrials ||
           (other.markings_since() >= other.least_wait() && other.markings_since() >= wait);
  }

  void note(bool alone, double cost) {
    const bool is_first = !arm(alone).is_known();
    arm(alone).take(cost, markings_ == 0);
    arm(!alone).pass_over();
    if (!std::exchange(is_trial_, false)) return;
    const bool is_second = std::exchange(repeats_trial_, false);
    if (alone != is_alone_) {
      arm(!alone).put_off();
    } else if (const double other = arm(!alone).cost(); arm(alone).cost() >= other) {
      const double most = alone && is_first ? kPerhapsCold : kNearlyAsCheap;
      repeats_trial_ = !is_second && cost < most * other;
      if (!repeats_trial_) arm(alone).confirm_worse();
    }
  }

  bool end_alone() {
    was_ended_ = true;
    is_alone_ = false;
    return false;
  }

  const std::uint64_t small_references_;
  Arm alone_;
  Arm team_;
  std::uint64_t markings_ = 0;
  std::uint64_t last_references_ = 0;
  std::uint64_t largest_ = 0;
  bool is_trial_ = false;
  bool repeats_trial_ = false;  // the next marking does
  bool is_alone_ = false;
  bool was_ended_ = false;
  std::uint64_t judged_from_ = 0;  // references of the present marking when goes_on_alone was first asked
  double judged_time_ = 0;
};

}  // namespace jackdaw::mark
