// Signal masks as the kernel has them: of handlers, and of other threads.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>

#include "base/signals_blocked.h"

namespace jackdaw::gc {

/// All signals, as sigaction wants them for a handler: no other one interrupts it, and the thread is not
/// cancelled in it, which else happens in any function that is a cancellation point and was interrupted.
sigset_t mask_of_all_signals();

/// The signals that a thread of this process, by the system's number, blocks; nothing when they cannot be
/// found out. Neither allocates nor locks.
std::optional<base::SignalBits> blocked_signals_of(pid_t thread);

}  // namespace jackdaw::gc
