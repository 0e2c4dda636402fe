// Destructors: objects of C++ types that were found dead and wait for their destructors.
//
// A collection marks dead objects of one kind, so that they are not freed, and changes their headers, so that
// nothing that they refer to is ever looked at again: it is freed at once. When the threads go on, the one
// that collected calls the destructors, holding no lock, and frees the objects.
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
  /// `kind`: of the objects whose types may have a destructor.
  explicit Destructors(heap::KindNumber kind) : kind_(kind) {}

  /// Called when all that is reachable is marked, while the program's threads stand still: makes room for all
  /// dead objects. When there is no memory for that, marks them, so that they live on. Does not throw.
  void prepare(heap::Heap& heap, Collection& collection);
  /// When nothing more will be marked: lets the dead objects wait.
  void add_dead(heap::Heap& heap);
  /// Calls `function(Object*)` for the objects that wait or are being destroyed.
  template <typename Function>
  void for_each_waiting(Function function) const {
    for (heap::Object* const object : objects_.span()) {
      if (object != nullptr) function(object);
    }
  }

  /// Calls the destructors of all that wait, and `free(Object*)` for each object. Without `lock`, the
  /// collector's: destructors may allocate and collect. Not while this thread runs others: those that it
  /// began come first. Any thread.
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
      // In one piece, as seen by collections: what waits is an object, and what is free does not wait.
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
  std::size_t begun_ = 0;                    // of them, in order
  std::size_t destroyed_ = 0;
};

}  // namespace jackdaw::gc
