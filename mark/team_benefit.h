// TeamBenefit: whether the first worker marks alone or with the team, learned from earlier markings.
//
// Two workers mark some heaps slower than one: where the lines that hold marks travel between their caches,
// or where most of the heap hangs on one list. It depends on program and machine, so it is a bandit with two
// arms. The price of an arm is the lower cost of a reference in its last two markings, since interruptions
// only add to it. The cheaper arm is taken. The other is tried again after a number of markings that grows
// with its expected loss and doubles with each trial that confirms the choice. A trial of marking alone ends
// early when it has lost a tenth of a marking. Two kinds of trials confirm nothing, as they may mislead: the
// first one of marking alone, which finds much of the heap in other processors' caches and its queue's memory
// untouched, and one that cost little more than the other arm, as a helper may have woken late.
//
// Source: the explore-then-exploit schedules of Auer, Cesa-Bianchi and Fischer, "Finite-time Analysis of the
// Multiarmed Bandit Problem", Machine Learning 2002, with prior knowledge of the arms.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace jackdaw::mark {

/// Owned by one engine; one thread at a time. Times are in nanoseconds.
class TeamBenefit {
 public:
  /// The least and the most markings between two trials of the other arm.
  static constexpr std::uint32_t kFewestMarkingsBetweenTrials = 4;
  static constexpr std::uint32_t kMostMarkingsBetweenTrials = 64;

  /// `small_references`: a heap with fewer references is first marked alone, since waking helpers costs much
  /// there.
  explicit TeamBenefit(std::uint64_t small_references) : small_references_(small_references) {}

  /// Chooses the arm of the next marking.
  void start_marking() {
    const bool is_other_due = markings_ > 1 && is_due(!prefers_alone());
    is_trial_ = is_other_due;
    is_alone_ = prefers_alone() != is_other_due;
    was_ended_ = false;
    judged_from_ = 0;
  }

  /// Whether the first worker begins alone, and asks goes_on_alone() when others could help.
  [[nodiscard]] bool is_alone() const { return is_alone_; }

  /// Whether this marking measures the team: helpers should then be woken early, as late ones would make it
  /// look expensive.
  [[nodiscard]] bool tries_team() const { return !is_alone_ && (is_trial_ || !team_.is_known()); }

  /// Whether the first worker, alone so far, continues alone after `references` references and `time` since
  /// the start of the round. If not, the team takes part from now on.
  bool goes_on_alone(std::uint64_t references, double time) {
    // The first references, from roots and their objects, are not like the rest.
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

  /// Returns the number of references after which goes_on_alone(), if it was true, is to be called again.
  [[nodiscard]] std::uint64_t references_between_checks() const { return last_references_ / kChecks; }

  /// Returns how many references the first worker follows alone in a further round of the marking: as many as
  /// the usual first round has, where that was marked alone, else none.
  [[nodiscard]] std::uint64_t references_alone_in_further_round() const {
    return is_alone_ ? last_references_ : 0;
  }

  /// Takes the cost of the marking's first round. `team_took_part` may differ from !is_alone(), because the
  /// team always takes part in a round with rescans.
  void finish(std::uint64_t references, double time, bool team_took_part) {
    last_references_ = references;
    if (!was_ended_) note(!team_took_part, time / static_cast<double>(references));
    ++markings_;
    // Costs of a much smaller heap say little, so they are dropped when the heap has grown.
    if (references <= largest_ + largest_ / 2) return;
    largest_ = references;
    arm(!prefers_alone()).forget_confirmations();
  }

 private:
  // One of the two ways of marking.
  class Arm {
   public:
    [[nodiscard]] bool has_cost() const { return costs_[0] != 0; }
    /// Returns the cost of a reference; 0 when it is not known.
    [[nodiscard]] double cost() const { return costs_[1] != 0 ? std::min(costs_[0], costs_[1]) : costs_[0]; }
    /// Whether the arm was taken, or its trial was put off, after the first marking, in which all memory is
    /// cold.
    [[nodiscard]] bool is_known() const { return is_known_; }
    [[nodiscard]] std::uint32_t markings_since() const { return markings_since_; }
    [[nodiscard]] std::uint32_t least_wait() const { return least_wait_; }

    void take(double cost, bool is_cold) {
      costs_ = {cost, markings_since_ < kStale ? costs_[0] : 0};
      markings_since_ = 0;
      is_known_ = is_known_ || !is_cold;
    }
    void pass_over() { ++markings_since_; }
    /// Notes that its trial was due but the marking went the other way.
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
    // An arm's costs that are this many markings old are not compared with its new one.
    static constexpr std::uint32_t kStale = 2;

    std::array<double, 2> costs_{};  // the newest first
    std::uint32_t markings_since_ = 0;
    std::uint32_t least_wait_ = kFewestMarkingsBetweenTrials;
    bool is_known_ = false;
  };

  // The share of all marking time that trials may cost.
  static constexpr double kExploration = 0.1;
  // The shares of a marking that marking alone may lose to the team before the team is called, in a trial and
  // otherwise.
  static constexpr double kMostLostByTrial = 0.1;
  static constexpr double kMostLost = 0.25;
  // A trial confirms the choice if its arm was dearer than the other by this factor.
  static constexpr double kDearer = 1.06;
  // How often a marking of the usual size checks whether to continue alone; each check reads the clock.
  static constexpr std::uint64_t kChecks = 64;

  Arm& arm(bool alone) { return alone ? alone_ : team_; }
  [[nodiscard]] const Arm& arm(bool alone) const { return alone ? alone_ : team_; }

  [[nodiscard]] bool prefers_alone() const {
    const bool expects_alone = last_references_ != 0 && last_references_ < small_references_;
    if (!arm(!expects_alone).is_known()) return expects_alone;
    return alone_.has_cost() && alone_.cost() < team_.cost();
  }

  // Whether the other arm is due for a trial.
  [[nodiscard]] bool is_due(bool alone) const {
    const Arm& other = arm(alone);
    if (!other.is_known()) return true;
    const double loss = other.cost() / arm(!alone).cost() - 1;
    const double wait = (alone ? std::min(loss, kMostLostByTrial) : loss) / kExploration;
    return other.markings_since() >= kMostMarkingsBetweenTrials ||
           (other.markings_since() >= other.least_wait() && other.markings_since() >= wait);
  }

  void note(bool alone, double cost) {
    const bool may_be_cold = alone && !arm(alone).is_known();
    arm(alone).take(cost, markings_ == 0);
    arm(!alone).pass_over();
    if (!std::exchange(is_trial_, false)) return;
    if (alone != is_alone_) {
      arm(!alone).put_off();
    } else if (!may_be_cold && std::min(cost, arm(alone).cost()) >= kDearer * arm(!alone).cost()) {
      arm(alone).confirm_worse();
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
  bool is_alone_ = false;
  bool was_ended_ = false;
  std::uint64_t judged_from_ = 0;  // references of the present marking when goes_on_alone was first asked
  double judged_time_ = 0;
};

}  // namespace jackdaw::mark
