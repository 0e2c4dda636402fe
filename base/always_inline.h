// JACKDAW_ALWAYS_INLINE: on functions that are part of the mark loop, which is one function whatever the
// compiler thinks of its size. Sanitized builds, where that would take long and speed up nothing, leave it to
// the compiler.
#pragma once

#include "base/sanitizers.h"

#if JACKDAW_ADDRESS_SANITIZER || JACKDAW_THREAD_SANITIZER
#define JACKDAW_ALWAYS_INLINE
#else
#define JACKDAW_ALWAYS_INLINE [[gnu::always_inline]]
#endif
