// ThreadList: the registered threads.
#pragma once

#include <pthread.h>

#include <memory>

#include "base/check.h"
#include "base/page_vector.h"
#include "gc/process/threads/process_thread.h"
#include "gc/process/threads/stoppable_mutex.h"

namespace jackdaw::gc {

/// The entries, and the lock that guards them and their `is_blocked_`. It is held while threads are stopped.
struct ThreadList {
  StoppableMutex mutex;
  base::PageVector<ProcessThread*> threads;

  /// Returns the entry of a thread that is not gone, or null. The lock must be held.
  [[nodiscard]] ProcessThread* find(pthread_t handle) const {
    JACKDAW_CHECK(mutex.is_held_by_caller());
    for (ProcessThread* const thread : threads) {
      if (!thread->is_gone_ && pthread_equal(thread->handle_, handle) != 0) return thread;
    }
    return nullptr;
  }
  /// Destroys the entries of threads that ended without unregistering. The lock must be held.
  void forget_gone() {
    JACKDAW_CHECK(mutex.is_held_by_caller());
    threads.remove_if([](ProcessThread* thread) {
      const std::unique_ptr<ProcessThread> destroyed(thread->is_gone_ ? thread : nullptr);
      return destroyed != nullptr;
    });
  }
};

}  // namespace jackdaw::gc
