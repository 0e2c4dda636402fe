// FirstObjects: allocates the first objects of threads from blocks that they share.
//
// A thread that makes a few objects in its life would otherwise have a table of runs, and a block for each
// size class. libgc's threads, too, begin with the lists that all share.
#pragma once

#include <cstddef>
#include <mutex>

#include "base/adaptive_mutex.h"
#include "heap/allocator.h"
#include "heap/kind.h"
#include "heap/object.h"

namespace jackdaw::heap {

/// Any thread, in whose calls no collection may come. The heap must outlive it.
class FirstObjects {
 public:
  /// Throws std::bad_alloc.
  explicit FirstObjects(Heap& heap) : allocator_(heap) {}

  /// Returns memory as Allocator::allocate_from_heap does.
  Object* allocate(std::size_t bytes, KindNumber kind) {
    const std::lock_guard lock(mutex_);
    return allocator_.allocate_from_heap(bytes, kind);
  }

 private:
  base::AdaptiveMutex mutex_;  // taken before the heap's
  Allocator allocator_;
};

}  // namespace jackdaw::heap
