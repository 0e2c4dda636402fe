// Stands in for base/signals_blocked.h: there are no signals.
#pragma once

namespace jackdaw::base {

inline constexpr int kAllProgramSignals = 0;
struct SignalsBlocked {
  explicit SignalsBlocked(int) {}
};

}  // namespace jackdaw::base
