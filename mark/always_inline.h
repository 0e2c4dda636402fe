// JACKDAW_ALWAYS_INLINE: on functions that are part of the mark loop, which is one function whatever the
// compiler thinks of its size. Sanitized builds, where that would take long and speed up nothing, leave it to
// the compiler.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define JACKDAW_ALWAYS_INLINE
#endif
#endif

#if !defined(JACKDAW_ALWAYS_INLINE)
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define JACKDAW_ALWAYS_INLINE
#else
#define JACKDAW_ALWAYS_INLINE [[gnu::always_inline]]
#endif
#endif
