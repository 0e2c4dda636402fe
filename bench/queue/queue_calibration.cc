#include "bench/queue/queue_calibration.h"

#include <algorithm>
#include <cmath>

namespace jackdaw::bench {

namespace {

constexpr double kTolerance = 0.1;

}  // namespace

bool is_reached(double wanted_percent, double percent) {
  return std::abs(percent - wanted_percent) <= kTolerance * wanted_percent;
}

ThiefPace calibrate_thief(double wanted_percent, std::uint64_t capacity, const PaceProbe& probe) {
  const double left_to_owner = (1 - wanted_percent / 100) * static_cast<double>(capacity);
  ThiefPace pace{std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(left_to_owner))),
                 wanted_percent};
  if (wanted_percent <= 0) return pace;

  ThiefPace best = pace;
  double most = -1;
  for (int i = 0; i < kMostProbes; ++i) {
    const double reached = probe(pace);
    if (reached > most) {
      best = pace;
      most = reached;
    }
    if (most > wanted_percent || is_reached(wanted_percent, most)) break;
    pace.gets_per_round = std::max<std::uint64_t>(1, pace.gets_per_round / 2);
  }
  return best;
}

}  // namespace jackdaw::bench
