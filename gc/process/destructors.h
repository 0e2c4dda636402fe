// Destructors: objects of C++ types that were found dead and wait for their destructors.
//
// A collection marks dead objects of the kind ProcessKinds::kDestroyed, so that they are not freed, and
// changes their headers, so that nothing that they refer to is ever looked at again: it is freed at once.
// When the threads go on, the one that collected calls the destructors, holding no lock, and frees the
// objects.
#pragma once

#include <cstddef>

#include "base/page_vector.h"
#include "gc/marking/collection.h"
#include "heap/heap.h"
#include "heap/object.h"

namespace jackdaw::gc {

class ProcessCollector;

/// One for the process. Guarded by the collector's lock, except for run().
class Destructors {
 public:
  /// When all that is reachable is marked, while the program's threads stand still: makes room for all dead
  /// objects. When there is no memory for that, marks them, so that they live on. Does not throw.
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

  /// Calls the destructors of all that wait, and frees them. Without the collector's lock: they may allocate
  /// and collect. Not while this thread runs others: those that it began come first. Any thread.
  void run(ProcessCollector& collector);

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::size_t begin_next(ProcessCollector& collector);
  void destroy(ProcessCollector& collector, std::size_t index);

  base::PageVector<heap::Object*> objects_;  // null: destroyed
  std::size_t begun_ = 0;                    // of them, in order
  std::size_t destroyed_ = 0;
};

}  // namespace jackdaw::gc
