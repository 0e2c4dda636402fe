// processor_time: how much of the processors' time a thread has used.
#pragma once

#include <pthread.h>
#include <time.h>

#include <chrono>

namespace jackdaw::base {

/// Returns what a processor-time clock of the system's shows; zero where the system refuses. A system call.
inline std::chrono::nanoseconds time_of_clock(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return {};
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// Returns the processor time of the calling thread.
inline std::chrono::nanoseconds processor_time() { return time_of_clock(CLOCK_THREAD_CPUTIME_ID); }

/// Returns the processor time of `thread`, which has not ended.
inline std::chrono::nanoseconds processor_time(pthread_t thread) {
  clockid_t clock{};
  if (pthread_getcpuclockid(thread, &clock) != 0) return {};
  return time_of_clock(clock);
}

}  // namespace jackdaw::base
