// The pause of a waiting thread between two polls.
#pragma once

#include <thread>

namespace jackdaw::base {

/// Tells the core that this is a spin loop, so that it saves power and lets its sibling run.
inline void pause_core() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");  // longer than "yield", which most cores ignore
#else
  std::this_thread::yield();
#endif
}

}  // namespace jackdaw::base
