// Marks as a collector would set them, for tests that have no collector.
#pragma once

#include <initializer_list>

#include "heap/chunk.h"
#include "heap/heap.h"
#include "heap/object.h"

namespace jackdaw::heap {

/// Clears all marks, marks `live` and sweeps. `Objects` is any range of Object*.
template <typename Objects>
SweepResult keep_only(Heap& heap, const Objects& live) {
  heap.clear_marks();
  for (Object* const object : live) Chunk::of(object)->mark_exclusively(object);
  return heap.sweep();
}

/// Clears all marks and sweeps: everything is free.
inline SweepResult keep_nothing(Heap& heap) { return keep_only(heap, std::initializer_list<Object*>{}); }

}  // namespace jackdaw::heap
