// kStopsBySignal: whether threads are stopped by a signal, or stop by themselves.
#pragma once

#include "base/sanitizers.h"

namespace jackdaw::gc {

/// Threads are stopped by a signal, wherever they are. ThreadSanitizer hands a signal on only when the thread
/// calls something that it knows, and a thread that stands still in a handler may hold the sanitizer's own
/// locks. So under it threads stop where they ask whether they shall (StopProtocol::safepoint): where they
/// allocate a block's worth, wait for the collector, and begin or end to be blocked. That is for testing
/// alone, and asks of the program that threads which wait for others, or compute for long without
/// allocating, say so with call_blocked, and that none allocates with a lock held that another waits for.
inline constexpr bool kStopsBySignal = !base::kThreadSanitizer;

}  // namespace jackdaw::gc
