// The shipped StoppableMutex, what it calls of libraries, and threads that take it.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "gc/process/threads/stoppable_mutex.cc"
#include "tests/verify/verify.h"

extern "C" {
inline pthread_t pthread_self() noexcept { return static_cast<pthread_t>(__VERIFIER_thread_self()) + 1; }
// Only the branch for threads that are stopped without signals calls this.
inline int sched_yield() noexcept { return 0; }
}

namespace jackdaw::gc {

// No thread is suspended by hand.
constinit thread_local std::atomic<std::uint32_t> StoppableMutex::uses_{0};
void StoppableMutex::end_use() {}

}  // namespace jackdaw::gc

namespace verify {

inline jackdaw::gc::StoppableMutex mutex;
// Written plainly by whoever holds it.
inline std::uint32_t holds = 0;

inline void hold_once() {
  mutex.lock();
  ++holds;
  mutex.unlock();
}

}  // namespace verify
