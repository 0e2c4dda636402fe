// StoppableMutex: a mutex whose holder may stop the threads that wait for it.
#pragma once

#include <mutex>

#include "gc/process/sanitizers.h"

namespace jackdaw::gc {

/// As std::mutex. Where threads are stopped without signals, waiting for it is a safepoint.
class StoppableMutex {
 public:
  void lock() {
    if constexpr (kStopsBySignal) {
      mutex_.lock();
    } else {
      lock_between_stops();
    }
  }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  void lock_between_stops();

  std::mutex mutex_;
};

}  // namespace jackdaw::gc
