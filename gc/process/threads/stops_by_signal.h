// kStopsBySignal: whether threads are stopped by a signal or at safepoints.
#pragma once

#include "base/sanitizers.h"

namespace jackdaw::gc {

/// Without ThreadSanitizer, a signal stops threads wherever they are. The sanitizer delivers signals only in
/// functions that it knows, and a thread stopped in a handler may hold its locks. So in builds with it, for
/// testing, threads stop at safepoints (StopProtocol::safepoint): where they allocate a block's worth, wait
/// for the collector, and begin or end to be blocked. Threads that wait for others, or compute for long, must
/// use call_blocked, and none may allocate while it holds a lock that another waits for.
inline constexpr bool kStopsBySignal = !base::kThreadSanitizer;

}  // namespace jackdaw::gc
