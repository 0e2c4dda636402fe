#include "base/signal_action.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace jackdaw::base {

std::optional<SignalAction> SignalAction::of(int signal) {
  SignalAction action;
  if (syscall(SYS_rt_sigaction, signal, nullptr, &action, sizeof action.blocked) != 0) return std::nullopt;
  return action;
}

bool SignalAction::set_for(int signal) const {
  return syscall(SYS_rt_sigaction, signal, this, nullptr, sizeof blocked) == 0;
}

bool SignalAction::set_for(int signal, SignalAction& before) const {
  return syscall(SYS_rt_sigaction, signal, this, &before, sizeof blocked) == 0;
}

}  // namespace jackdaw::base
