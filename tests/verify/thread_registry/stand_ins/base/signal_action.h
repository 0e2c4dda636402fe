// Stands in for base/signal_action.h: the system does not tell.
#pragma once

#include <cstdint>
#include <optional>

namespace jackdaw::base {

struct SignalAction {
  std::uintptr_t handler = 0;
  static std::optional<SignalAction> of(int) { return {}; }
};

}  // namespace jackdaw::base
