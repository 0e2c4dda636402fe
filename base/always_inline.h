// JACKDAW_ALWAYS_INLINE: forces functions of the mark loop inline, whatever the compiler thinks of their
// size. In sanitized builds the compiler decides: forcing it would make them slow to build and no faster.
#pragma once

#include "base/sanitizers.h"

#if JACKDAW_ADDRESS_SANITIZER || JACKDAW_THREAD_SANITIZER
#define JACKDAW_ALWAYS_INLINE
#else
#define JACKDAW_ALWAYS_INLINE [[gnu::always_inline]]
#endif
