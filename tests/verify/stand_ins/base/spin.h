// Stands in for base/spin.h: whoever polls asks once.
#pragma once

#include <chrono>

namespace jackdaw::base {

inline void pause_core() {}

template <typename Condition>
bool poll_for(std::chrono::nanoseconds, Condition holds) {
  return holds();
}

}  // namespace jackdaw::base
