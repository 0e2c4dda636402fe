// Pauses: stops the program for a collection, tells the program of it, and allocates for its callbacks
// meanwhile.
#pragma once

#include <pthread.h>

#include <chrono>
#include <cstdint>

#include "base/page_vector.h"
#include "gc/process/process_hooks.h"
#include "gc/process/roots/static_roots.h"
#include "gc/process/threads/stoppable_mutex.h"
#include "gc/process/threads/thread_registry.h"
#include "gc/report/trace/collection_trace.h"
#include "heap/allocator.h"
#include "heap/heap.h"
#include "heap/object.h"

namespace jackdaw::gc {

/// There is one for the process. Callers hold the collector's lock unless a function says otherwise.
class Pauses {
 public:
  Pauses(heap::Heap& heap, StoppableMutex& lock, ThreadRegistry& threads, StaticRoots& static_roots,
         const ProcessHooks& hooks, CollectionTrace& trace)
      : heap_(heap),
        lock_(lock),
        threads_(threads),
        static_roots_(static_roots),
        hooks_(hooks),
        trace_(trace),
        allocator_(heap) {}
  Pauses(const Pauses&) = delete;
  Pauses& operator=(const Pauses&) = delete;

  /// Whether the program is stopped.
  [[nodiscard]] bool is_program_stopped() const { return is_program_stopped_; }
  /// Returns memory for a callback in a pause, by `allocate(heap::Allocator&)`, or null when there is none.
  template <typename Allocate>
  void* allocate(Allocate allocate) {
    if (!made_.reserve(made_.size() + 1)) return nullptr;
    void* const object = allocate(allocator_);
    if (object == nullptr || !made_.append(static_cast<heap::Object*>(object))) return nullptr;
    keep(object);
    return object;
  }
  /// These suspend a registered thread until it is resumed (ThreadSuspension::suspend). Collections go on,
  /// and scan its stack. A thread that holds a lock of the collector releases it first. The caller must not
  /// hold the lock.
  void suspend(pthread_t thread);
  void resume(pthread_t thread);

  /// Returns when the last pause ended: right before the threads were resumed, since they may then take this
  /// thread's processor for as long as a time slice.
  [[nodiscard]] std::chrono::steady_clock::time_point last_end() const { return last_end_; }

  /// Returns the objects that callbacks made in this pause: they are marked, but not visited.
  [[nodiscard]] const base::PageVector<heap::Object*>& made() const { return made_; }

 private:
  friend class ThreadsStopped;

  void begin();
  void end();
  static void keep(void* object);
  void tell_threads(ThreadEvent event);

  heap::Heap& heap_;
  StoppableMutex& lock_;
  ThreadRegistry& threads_;
  StaticRoots& static_roots_;
  const ProcessHooks& hooks_;
  CollectionTrace& trace_;
  bool is_program_stopped_ = false;
  std::chrono::steady_clock::time_point last_end_;
  // Callbacks allocate from it.
  heap::Allocator allocator_;
  base::PageVector<heap::Object*> made_;
};

/// Stops all other threads that use the heap, until it is destroyed.
class ThreadsStopped {
 public:
  explicit ThreadsStopped(Pauses& pauses);
  ~ThreadsStopped();
  ThreadsStopped(const ThreadsStopped&) = delete;
  ThreadsStopped& operator=(const ThreadsStopped&) = delete;

  /// Returns false when there was no memory to note all static data.
  [[nodiscard]] bool knows_static_roots() const { return knows_static_roots_; }
  [[nodiscard]] std::uint32_t stopped_threads() const { return stopped_threads_; }

 private:
  Pauses& pauses_;
  std::uint32_t stopped_threads_ = 0;
  bool knows_static_roots_ = false;
};

}  // namespace jackdaw::gc
