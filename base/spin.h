// Spinning: waiting without sleeping.
#pragma once

#include <chrono>
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

/// Calls `holds` repeatedly for at most `time`, but several times in any case. Returns whether it became
/// true.
template <typename Condition>
bool poll_for(std::chrono::nanoseconds time, Condition holds) {
  constexpr int kPausesBetweenClocks = 8;
  const auto end = std::chrono::steady_clock::now() + time;
  do {
    for (int i = 0; i < kPausesBetweenClocks; ++i) {
      if (holds()) return true;
      pause_core();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace jackdaw::base
