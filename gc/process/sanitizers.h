// Sanitizers: which of them the code is built with, as far as the collector must know.
#pragma once

namespace jackdaw::gc {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressSanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif
#else
inline constexpr bool kAddressSanitizer = false;
#endif

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitizer = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif
#else
inline constexpr bool kThreadSanitizer = false;
#endif

/// Threads are stopped by a signal, wherever they are. ThreadSanitizer hands a signal on only when the thread
/// calls something that it knows, and a thread that stands still in a handler may hold the sanitizer's own
/// locks. So under it threads stop where they ask whether they shall (ThreadRegistry::safepoint): where they
/// allocate a block's worth, wait for the collector, and begin or end to be blocked. That is for testing
/// alone, and asks of the program that threads which wait for others, or compute for long without
/// allocating, say so with call_blocked, and that none allocates with a lock held that another waits for.
inline constexpr bool kStopsBySignal = !kThreadSanitizer;

}  // namespace jackdaw::gc
