// SignalAction: what the kernel does with a signal, as it has it.
//
// The C library's own function refuses the library's own signals, and sanitizers put handlers of theirs
// before those that it is given.
#pragma once

#include <cstdint>
#include <optional>

#include "base/signals_blocked.h"

namespace jackdaw::base {

struct SignalAction {
  std::uintptr_t handler = 0;  ///< its address, or SIG_DFL, which is 0, or SIG_IGN
  unsigned long flags = 0;
  void (*way_back)() = nullptr;  ///< the C library's, which a handler returns to
  SignalBits blocked = 0;

  /// Nothing where the system does not tell.
  static std::optional<SignalAction> of(int signal);
  /// Whether that was possible.
  [[nodiscard]] bool set_for(int signal) const;
};

}  // namespace jackdaw::base
