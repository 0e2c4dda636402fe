// AdaptiveMutex: a mutex for holds that are shorter than putting a thread to sleep and waking it.
#pragma once

#include <pthread.h>

namespace jackdaw::base {

/// A std::mutex whose waiting thread polls about a hundred times before it sleeps, where the thread library
/// offers that (PTHREAD_MUTEX_ADAPTIVE_NP).
class AdaptiveMutex {
 public:
  AdaptiveMutex() = default;
  AdaptiveMutex(const AdaptiveMutex&) = delete;
  AdaptiveMutex& operator=(const AdaptiveMutex&) = delete;

  // Neither call fails: the mutex is valid, and its holder is another thread or the one that unlocks.
  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
  pthread_mutex_t mutex_ = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
#else
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
#endif
};

}  // namespace jackdaw::base
