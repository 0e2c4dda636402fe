// TeamBenefit: whether the first worker is to mark alone or with the team, learned from markings before.
//
// Two workers mark a small heap slower than one where the lines that hold marks travel between their caches,
// or where most of it hangs on one list; it depends on the program. So the costs of a reference, alone and in
// a team, are kept as running means. The cheaper way is taken, and the other is tried from time to time. Who
// tries to mark alone calls the team as soon as that would be cheaper, and whoever marks alone when it would
// be much cheaper: the heap, or the machine, is no longer what it was.
#pragma once

#include <algorithm>
#include <cstdint>

namespace jackdaw::mark {

/// One engine's. Times are in nanoseconds.
class TeamBenefit {
 public:
  /// The other way is tried after so many markings, then twice as many, and so on up to the second number;
  /// and from the beginning when a marking was half as large again as the largest.
  static constexpr std::uint32_t kFewestMarkingsBetweenTrials = 2;
  static constexpr std::uint32_t kMostMarkingsBetweenTrials = 64;

  /// Before a marking.
  void start_marking() {
    is_trial_ = markings_to_trial_ == 0;
    const bool prefers_alone = alone_ != 0 && alone_ < team_;
    is_alone_ = prefers_alone != is_trial_;
    was_ended_ = false;
    judged_references_ = 0;
  }

  /// Whether the first worker is to begin alone, and to go on so even though others could help.
  [[nodiscard]] bool is_alone() const { return is_alone_; }

  /// While alone, after so many references and so much time since the round began: whether it is to go on so.
  /// If not, the team takes part from now on.
  bool goes_on_alone(std::uint64_t references, double time) {
    if (references < 2 * judged_references_) return true;
    // The first references, roots and what they lead to, are not like the rest.
    const bool is_first = judged_references_ == 0;
    const double cost =
        is_first ? 0 : (time - judged_time_) / static_cast<double>(references - judged_references_);
    judged_references_ = references;
    judged_time_ = time;
    is_alone_ = is_trial_ ? cost <= team_ : references <= 2 * last_references_ && cost <= kMuchDearer * team_;
    was_ended_ = !is_alone_;
    // Once the other way is tried again, it may win: what was measured here may be an interruption.
    if (!is_trial_ && cost > kMuchDearer * team_) note(alone_, kMuchDearer * team_);
    return is_alone_;
  }

  /// After the marking's largest round, which the team took part in if others could help.
  void finish(std::uint64_t references, double time, bool team_took_part) {
    last_references_ = references;
    if (is_trial_) {
      between_trials_ = std::min(2 * between_trials_, kMostMarkingsBetweenTrials);
      markings_to_trial_ = between_trials_;
    }
    --markings_to_trial_;
    if (references > largest_ + largest_ / 2) {
      largest_ = references;
      between_trials_ = kFewestMarkingsBetweenTrials;
      markings_to_trial_ = std::min(markings_to_trial_, between_trials_);
    }
    if (was_ended_) return;
    note(team_took_part ? team_ : alone_, time / static_cast<double>(references));
  }

 private:
  // Of the newest marking in the mean.
  static constexpr double kWeight = 0.5;
  // So many times what a reference costs in a team.
  static constexpr double kMuchDearer = 1.5;

  static void note(double& mean, double cost) { mean = mean != 0 ? mean + (cost - mean) * kWeight : cost; }

  double alone_ = 0;  // of a reference; 0: not known
  double team_ = 0;
  std::uint64_t last_references_ = 0;
  std::uint64_t largest_ = 0;
  std::uint32_t between_trials_ = kFewestMarkingsBetweenTrials;
  std::uint32_t markings_to_trial_ = kFewestMarkingsBetweenTrials;
  bool is_trial_ = false;
  bool is_alone_ = false;
  bool was_ended_ = false;
  std::uint64_t judged_references_ = 0;  // when goes_on_alone was last in doubt
  double judged_time_ = 0;
};

}  // namespace jackdaw::mark
