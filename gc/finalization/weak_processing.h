// WeakProcessing: marks single objects and all that they refer to, after everything reachable from roots is
// marked.
//
// The steps between marking and sweeping (finalizers, weak links, ephemerons) query marks and set more of
// them. Objects to mark are queued, and marked together in parallel when the queue is drained.
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

/// Made once, beside the collection. The collecting thread uses it between marking and sweeping, while all
/// others are stopped; it calls no malloc then.
class WeakProcessing {
 public:
  /// The most objects that wait in the queue before they are marked.
  static constexpr std::size_t kQueueLength = 4096;

  /// Throws std::bad_alloc.
  explicit WeakProcessing(Collection& collection);

  /// Whether the object that starts at `object` is marked. Objects in the queue may not be marked yet.
  [[nodiscard]] static bool is_marked(const heap::Object* object) {
    return heap::Chunk::of(object)->is_marked(object);
  }
  /// Returns the start of the object in which `address`, which may be any, lies; null where there is none.
  [[nodiscard]] const heap::Object* object_at(const void* address) const {
    return collection_.heap().object_at(address);
  }
  /// Whether `address`, which may be any, lies in an unmarked object.
  [[nodiscard]] bool lies_in_unmarked_object(const void* address) const {
    const heap::Heap& heap = collection_.heap();
    const std::uintptr_t start = heap.map().start_of_object_at(reinterpret_cast<std::uintptr_t>(address));
    if (start == 0) return false;
    // Nearly all are marked, and to look whether an object is allocated there takes more time.
    const auto* const object =
        reinterpret_cast<const heap::Object*>(start);  // NOLINT(performance-no-int-to-ptr)
    return !is_marked(object) && heap.object_at(address) != nullptr;
  }

  /// Queues an object.
  void mark(heap::Object* object) {
    if (is_marked(object)) return;
    queue_.append_reserved(object);
    if (queue_.size() == kQueueLength) drain();
  }
  /// Queues the objects that an object refers to, but not the object.
  void mark_references_of(heap::Object* object, SelfReferences self = SelfReferences::counted);
  /// Marks the queued objects and all that they refer to.
  void drain();

 private:
  Collection& collection_;
  base::PageVector<heap::Object*> queue_;
};

}  // namespace jackdaw::gc
