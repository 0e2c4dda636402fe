// Stands in for base/signals_blocked.h: there are no signals.
#pragma once

namespace verify {

inline void take_signals() {}

/// Returns when the condition, which has no effect, does not hold: never because of a signal.
template <typename Condition>
bool is_interrupted_while(Condition holds) {
  while (holds()) continue;
  return false;
}

}  // namespace verify

namespace jackdaw::base {

inline constexpr int kAllProgramSignals = 0;
struct SignalsBlocked {
  explicit SignalsBlocked(int) {}
};

}  // namespace jackdaw::base
