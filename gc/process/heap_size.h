// HeapSize: changes the heap's size at the program's request, and tells the program of all changes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gc/process/collection_plan.h"
#include "gc/process/heap_limit.h"
#include "gc/process/process_hooks.h"
#include "gc/process/threads/stoppable_mutex.h"
#include "gc/process/threads/thread_registry.h"
#include "heap/heap.h"

namespace jackdaw::gc {

/// One for the process. Any thread without the collector's lock, unless a function says otherwise.
class HeapSize {
 public:
  HeapSize(heap::Heap& heap, HeapLimit& limit, StoppableMutex& lock, ThreadRegistry& threads,
           CollectionPlan& plan, const ProcessHooks& hooks)
      : heap_(heap), limit_(limit), lock_(lock), threads_(threads), plan_(plan), hooks_(hooks) {}

  /// Makes the heap larger by at least `bytes`, which count as free; false when that is not possible.
  bool expand(std::size_t bytes);
  /// Sets the most bytes that the heap may have. Also with the lock.
  void set_maximum(std::size_t bytes);
  /// Returns the heap's free memory to the system.
  void release_free_memory();
  /// Tells the program the heap's size, if it has changed. With the lock.
  void tell();
  /// Tells the program what memory the heap took, if it asked for that. Also with the lock.
  void tell_of_taken() {
    if (heap_.taken_memory().has_any()) [[unlikely]]
      tell_of_all_taken();
  }

 private:
  void tell_of_all_taken();

  heap::Heap& heap_;
  HeapLimit& limit_;
  StoppableMutex& lock_;
  ThreadRegistry& threads_;
  CollectionPlan& plan_;
  const ProcessHooks& hooks_;
  std::uint64_t told_bytes_ = 0;
};

}  // namespace jackdaw::gc
