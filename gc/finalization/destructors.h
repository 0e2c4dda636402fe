// Destructors: dead objects of C++ types that wait for their destructors.
//
// A collection marks the dead objects of one kind, so that their memory stays, and changes their headers, so
// that their references are not followed any more: what only they refer to is freed at once. When the threads
// run again, the collecting thread calls the destructors without a lock, and frees the objects.
#pragma once

#include <cstddef>
#include <mutex>

#include "base/page_vector.h"
#include "gc/marking/collection.h"
#include "heap/heap.h"
#include "heap/kind.h"
#include "heap/object.h"

namespace jackdaw::gc {

/// One for the process. Guarded by the collector's lock, except for run().
class Destructors {
 public:
  /// `kind`: that of all objects whose types may have a destructor.
  explicit Destructors(heap::KindNumber kind) : kind_(kind) {}

  /// Makes room for all dead objects or, when there is no memory for that, marks them so that they live on.
  /// Called while the program is stopped and all reachable objects are marked. Does not throw.
  void prepare(heap::Heap& heap, Collection& collection);
  /// Lets the dead objects wait, after the last marking.
  void add_dead(heap::Heap& heap);
  /// Calls `function(Object*)` for the objects that wait or are being destroyed.
  template <typename Function>
  void for_each_waiting(Function function) const {
    for (heap::Object* const object : objects_.span()) {
      if (object != nullptr) function(object);
    }
  }

  /// Calls the destructors of all objects that wait, and `free(Object*)` for each. Without `lock`, the
  /// collector's: destructors may allocate and collect. Does nothing in a destructor that this thread called.
  /// Any thread.
  template <typename Lock, typename Free>
  void run(Lock& lock, Free free) {
    if (is_running_) return;
    is_running_ = true;
    for (;;) {
      heap::Object* object = nullptr;
      std::size_t index = 0;
      {
        const std::lock_guard guard(lock);
        if (begun_ == objects_.size()) break;
        index = begun_++;
        object = objects_[index];
      }
      destroy(object);
      // A collection must see both changes or none: a waiting entry is an object, and a free slot does not
      // wait.
      const std::lock_guard guard(lock);
      free(object);
      note_destroyed(index);
    }
    is_running_ = false;
  }

 private:
  template <typename Function>
  void for_each_dead(heap::Heap& heap, Function function);
  static void destroy(heap::Object* object);
  void note_destroyed(std::size_t index);

  static constinit thread_local bool is_running_;

  const heap::KindNumber kind_;
  base::PageVector<heap::Object*> objects_;  // null: destroyed
  std::size_t begun_ = 0;                    // of objects_, in order
  std::size_t destroyed_ = 0;
};

}  // namespace jackdaw::gc
