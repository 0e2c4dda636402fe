#include "bench/queue/queue_calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace jackdaw::bench {

namespace {

// 4 + 10 + 10 make kMostProbes.
constexpr int kMostHalvings = 3;
constexpr int kMostLengthenings = 10;
constexpr int kMostBisections = 10;
constexpr double kFirstPauses = 0.25;
constexpr double kLengthening = 4;
// Near enough: the measurement that follows varies by as much.
constexpr double kTolerance = 0.02;

class Calibration {
 public:
  Calibration(double wanted, const PaceProbe& probe) : wanted_(wanted), probe_(probe) {}

  // Probes a pace and remembers it if none came nearer.
  double try_pace(const ThiefPace& pace) {
    const double reached = probe_(pace);
    if (std::abs(reached - wanted_) < std::abs(best_reached_ - wanted_)) {
      best_ = pace;
      best_reached_ = reached;
    }
    return reached;
  }
  [[nodiscard]] bool near_enough() const { return std::abs(best_reached_ - wanted_) <= kTolerance * wanted_; }
  [[nodiscard]] const ThiefPace& best() const { return best_; }

 private:
  const double wanted_;
  const PaceProbe& probe_;
  ThiefPace best_;
  double best_reached_ = std::numeric_limits<double>::infinity();
};

// Lowers the owner's gets until a thief that never idles steals enough. False when it never does.
bool find_gets(Calibration& calibration, double wanted, ThiefPace& pace) {
  for (int i = 0; i <= kMostHalvings; ++i) {
    if (calibration.try_pace(pace) >= wanted) return true;
    pace.gets_per_round = std::max<std::uint64_t>(1, pace.gets_per_round / 2);
  }
  return false;
}

// Finds how long the thief has to idle to steal no more than is wanted.
void find_pauses(Calibration& calibration, double wanted, ThiefPace pace) {
  double least = 0;
  pace.pauses_per_steal = kFirstPauses;
  for (int i = 0; i < kMostLengthenings && calibration.try_pace(pace) > wanted; ++i) {
    least = pace.pauses_per_steal;
    pace.pauses_per_steal *= kLengthening;
  }
  double most = pace.pauses_per_steal;
  for (int i = 0; i < kMostBisections && !calibration.near_enough(); ++i) {
    pace.pauses_per_steal = (least + most) / 2;
    (calibration.try_pace(pace) > wanted ? least : most) = pace.pauses_per_steal;
  }
}

}  // namespace

ThiefPace calibrate_thief(double wanted_percent, std::uint64_t capacity, const PaceProbe& probe) {
  const double left_to_owner = (1 - wanted_percent / 100) * static_cast<double>(capacity);
  ThiefPace pace{std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(left_to_owner))), 0};
  if (wanted_percent <= 0) return {pace.gets_per_round, std::numeric_limits<double>::infinity()};

  Calibration calibration(wanted_percent, probe);
  if (find_gets(calibration, wanted_percent, pace) && !calibration.near_enough())
    find_pauses(calibration, wanted_percent, pace);
  return calibration.best();
}

}  // namespace jackdaw::bench
