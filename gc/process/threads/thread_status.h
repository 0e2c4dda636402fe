// ThreadStatus: what the kernel says of a thread of this process, by the system's number: whether it blocks
// the stop signal, and where it sleeps, so that a collection need not wait for it. Nothing here allocates or
// locks. Where /proc is missing, or no file can be opened, nothing is known.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "base/signals_blocked.h"

namespace jackdaw::gc {

/// The signals of a thread.
struct ThreadSignals {
  base::SignalBits blocked = 0;
  base::SignalBits pending = 0;  ///< those sent to this thread
  bool is_traced = false;        ///< a debugger has stopped the thread, maybe before it takes a signal
};

/// Returns the signals of a thread, or nothing when they cannot be read. A few system calls.
std::optional<ThreadSignals> signals_of(pid_t thread);

/// Returns the stack pointer of a thread that sleeps in the kernel until a child that shares its memory has
/// executed or ended; nothing for other threads, and for vfork(), whose child runs on the same frames.
std::optional<std::uintptr_t> stack_pointer_of_spawning(pid_t thread);

}  // namespace jackdaw::gc
