// AllocatingThread: what an allocation needs of the calling thread.
//
// It is a part of the thread's entry, ProcessThread (process_thread.h), with a header of its own, because
// programs inline the fast half of allocation (gc/cpp/make_garbage_collected.h).
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include "base/export.h"
#include "heap/allocator.h"

namespace jackdaw::gc {

/// The part of a registered thread's entry that allocation needs: its own thread uses it, the collector while
/// that is stopped.
class AllocatingThread {
 public:
  AllocatingThread(const AllocatingThread&) = delete;
  AllocatingThread& operator=(const AllocatingThread&) = delete;

  /// The calling thread, or null when it is not registered.
  static AllocatingThread* current() { return current_; }

  heap::Allocator& allocator() { return allocator_; }

 protected:
  AllocatingThread(pthread_t handle, pid_t number, heap::Heap& heap)
      : handle_(handle), number_(number), allocator_(heap) {}
  ~AllocatingThread() = default;

  const pthread_t handle_;
  pid_t number_;  // the kernel's; the child of a fork has another one

 private:
  friend class ThreadRegistry;
  friend class OwnWork;  // hides current() for a while

  heap::Allocator allocator_;

  // This model spares a call of the thread library at each access, in a shared library, too.
  [[gnu::tls_model("initial-exec")]] JACKDAW_EXPORT static constinit thread_local AllocatingThread* current_;
};

}  // namespace jackdaw::gc
