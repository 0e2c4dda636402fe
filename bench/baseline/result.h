// BaselineResult: the times of a baseline's runs, compared with ours.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/baseline/baseline.h"
#include "tools/command/median.h"

namespace jackdaw::bench {

struct BaselineResult {
  std::string name;
  std::string version;  ///< of the library, as Baseline::version()
  Phase phase = Phase::collection;
  std::uint32_t threads = 0;    ///< that really ran
  std::vector<double> wall_ms;  ///< of the phase, once for each run of ours, in turn with ours
  double median_ms = 0;
  double ratio = 0;  ///< our median time for the phase ÷ the baseline's; below 1 is faster

  /// Returns a text for people.
  [[nodiscard]] std::string name_and_version() const { return version.empty() ? name : name + " " + version; }
  /// Computes the median and the ratio after all runs. `our_median_ms` is that of the same phase.
  void compare_with(double our_median_ms) {
    median_ms = tools::median_of(wall_ms);
    ratio = our_median_ms / median_ms;
  }
};

}  // namespace jackdaw::bench
