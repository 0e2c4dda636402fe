// Signal masks as the kernel has them: of handlers, and of other threads with what waits for those.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>

#include "base/signals_blocked.h"

namespace jackdaw::gc {

/// All signals, as sigaction wants them for a handler: no other one interrupts it, and the thread is not
/// cancelled in it, which else happens in any function that is a cancellation point and was interrupted.
sigset_t mask_of_all_signals();

/// What the kernel tells of a thread's signals.
struct ThreadSignals {
  base::SignalBits blocked = 0;
  base::SignalBits pending = 0;  ///< those sent to this thread
  bool is_traced = false;        ///< a debugger has stopped the thread, maybe with a signal of it in hand
};

/// Those of a thread of this process, by the system's number; nothing when they cannot be found out. Neither
/// allocates nor locks.
std::optional<ThreadSignals> signals_of(pid_t thread);

}  // namespace jackdaw::gc
