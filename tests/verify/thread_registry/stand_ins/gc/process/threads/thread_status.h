// Stands in for gc/process/threads/thread_status.h: every thread answers in time, so nobody asks.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "base/signals_blocked.h"

namespace jackdaw::gc {

struct ThreadSignals {
  base::SignalBits blocked = 0;
  base::SignalBits pending = 0;
  bool is_traced = false;
};

inline std::optional<ThreadSignals> signals_of(pid_t) { return {}; }
inline std::optional<std::uintptr_t> stack_pointer_of_spawning(pid_t) { return {}; }

}  // namespace jackdaw::gc
