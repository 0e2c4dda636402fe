// Stands in for gc/process/signal_action.h: the system does not tell.
#pragma once

#include <cstdint>
#include <optional>

namespace jackdaw::gc {

struct SignalAction {
  std::uintptr_t handler = 0;
  static std::optional<SignalAction> of(int) { return {}; }
};

}  // namespace jackdaw::gc
