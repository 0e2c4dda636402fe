// AllocatingThread: the part of a registered thread that its allocations need.
//
// It is the base of ProcessThread (process_thread.h). It has a header of its own because programs inline the
// fast path of allocation (gc/cpp/make_garbage_collected.h).
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include "base/export.h"
#include "heap/allocator.h"

namespace jackdaw::gc {

/// The thread itself uses it, and the collector while the thread is stopped.
class AllocatingThread {
 public:
  AllocatingThread(const AllocatingThread&) = delete;
  AllocatingThread& operator=(const AllocatingThread&) = delete;

  /// Returns the calling thread, or null when it is not registered.
  static AllocatingThread* current() { return current_; }

  heap::Allocator& allocator() { return allocator_; }

 protected:
  AllocatingThread(pthread_t handle, pid_t number, heap::Heap& heap, heap::FirstObjects* first_objects)
      : handle_(handle), number_(number), allocator_(heap, first_objects) {}
  ~AllocatingThread() = default;

  const pthread_t handle_;
  pid_t number_;  // the kernel's; another one in a fork's child

 private:
  friend class ThreadRegistry;
  friend class OwnWork;  // hides current() for a time

  heap::Allocator allocator_;

  // The model avoids a call of the thread library at each access, also in a shared library.
  [[gnu::tls_model("initial-exec")]] JACKDAW_EXPORT static constinit thread_local AllocatingThread* current_;
};

}  // namespace jackdaw::gc
