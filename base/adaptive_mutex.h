// AdaptiveMutex: a mutex for holds that are shorter than putting a thread to sleep and waking it.
#pragma once

#include <pthread.h>

#include <chrono>

#include "base/spin.h"

namespace jackdaw::base {

/// A std::mutex whose waiting thread polls for some microseconds before it sleeps.
class AdaptiveMutex {
 public:
  AdaptiveMutex() = default;
  AdaptiveMutex(const AdaptiveMutex&) = delete;
  AdaptiveMutex& operator=(const AdaptiveMutex&) = delete;

  // No call fails but for pthread_mutex_trylock: the mutex is valid, and its holder is another thread or the
  // one that unlocks.
  void lock() {
    const auto take = [this] { return pthread_mutex_trylock(&mutex_) == 0; };
    if (!take() && !poll_for(kPolling, take)) pthread_mutex_lock(&mutex_);
  }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  // The thread library's own adaptive mutex polls for as long as it lately had to, which is less and less.
  static constexpr std::chrono::nanoseconds kPolling = std::chrono::microseconds(5);

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

}  // namespace jackdaw::base
