// Sanitizers: which of them the code, or the program, is built with.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define JACKDAW_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define JACKDAW_ADDRESS_SANITIZER 1
#endif
#endif
#if !defined(JACKDAW_ADDRESS_SANITIZER)
#define JACKDAW_ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__)
#define JACKDAW_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define JACKDAW_THREAD_SANITIZER 1
#endif
#endif
#if !defined(JACKDAW_THREAD_SANITIZER)
#define JACKDAW_THREAD_SANITIZER 0
#endif

namespace jackdaw::base {

// ThreadSanitizer's runtime defines this function. It is linked into the program, or is nowhere.
extern "C" [[gnu::weak]] void thread_sanitizer_runtime() asm("__tsan_init");

inline constexpr bool kAddressSanitizer = JACKDAW_ADDRESS_SANITIZER != 0;
inline constexpr bool kThreadSanitizer = JACKDAW_THREAD_SANITIZER != 0;

/// Whether the program is built with it. This code may be a library that is built without.
inline bool has_thread_sanitizer() { return thread_sanitizer_runtime != nullptr; }

}  // namespace jackdaw::base
