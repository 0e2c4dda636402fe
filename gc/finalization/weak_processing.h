// WeakProcessing: marks single objects, and what they lead to, when all that the roots lead to is marked.
//
// The steps between marking and sweeping (finalizers, weak links, ephemerons) ask for marks and set more of
// them. Objects to mark are queued and marked together, in parallel, when the queue is drained.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "base/page_vector.h"
#include "gc/marking/collection.h"
#include "heap/chunk.h"
#include "heap/object.h"

namespace jackdaw::gc {

/// Whether an object's references to itself count.
enum class SelfReferences : std::uint8_t { counted, ignored };

/// Made once, beside the collection; used by the thread that collects, between its mark() and its sweep(),
/// while all others stand still. Asks malloc for nothing then.
class WeakProcessing {
 public:
  /// How many objects wait at most; then they are marked.
  static constexpr std::size_t kQueueLength = 4096;

  /// Throws std::bad_alloc.
  explicit WeakProcessing(Collection& collection);

  /// Whether the object at its first address `object` is marked. Objects that wait in the queue need not be.
  [[nodiscard]] static bool is_marked(const heap::Object* object) {
    return heap::Chunk::of(object)->is_marked(object);
  }
  /// Whether `address`, which may be any, lies in an object that is not marked.
  [[nodiscard]] bool lies_in_unmarked_object(const void* address) const {
    const heap::Object* const object = collection_.heap().object_at(address);
    return object != nullptr && !is_marked(object);
  }

  /// Queues an object.
  void mark(heap::Object* object) {
    if (is_marked(object)) return;
    queue_.append_reserved(object);
    if (queue_.size() == kQueueLength) drain();
  }
  /// Queues what an object refers to, but not the object.
  void mark_references_of(heap::Object* object, SelfReferences self = SelfReferences::counted);
  /// Marks what is queued, and all that it leads to.
  void drain();

 private:
  Collection& collection_;
  base::PageVector<heap::Object*> queue_;
};

}  // namespace jackdaw::gc
