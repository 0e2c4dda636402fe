// SignalAction: the kernel's own record of what it does with a signal.
//
// The C library's own function refuses the library's own signals, and sanitizers wrap the handlers that it is
// given.
#pragma once

#include <cstdint>
#include <optional>

#include "base/signals_blocked.h"

namespace jackdaw::base {

struct SignalAction {
  std::uintptr_t handler = 0;  ///< its address, or SIG_DFL, which is 0, or SIG_IGN
  unsigned long flags = 0;
  void (*way_back)() = nullptr;  ///< the C library's trampoline, which a handler returns to
  SignalBits blocked = 0;

  /// Returns the signal's action, or nothing where the system does not tell.
  static std::optional<SignalAction> of(int signal);
  /// Installs this action for the signal; false when the system refuses.
  [[nodiscard]] bool set_for(int signal) const;
  /// Installs this action likewise, and stores the one that it replaces in `before`.
  [[nodiscard]] bool set_for(int signal, SignalAction& before) const;
};

}  // namespace jackdaw::base
