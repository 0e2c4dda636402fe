// Uncollectable objects: their bytes are those that GC_get_non_gc_bytes tells.
#pragma once

#include <atomic>
#include <cstddef>

#include "gc/c/settings.h"
#include "heap/chunk.h"
#include "heap/heap.h"

namespace jackdaw::c_interface {

// The variable is a plain one in the interface. Relaxed, both: a total that publishes nothing.
inline void count_uncollectable(std::size_t bytes) {
  std::atomic_ref(GC_non_gc_bytes).fetch_add(bytes, std::memory_order_relaxed);
}
inline void uncount_uncollectable(std::size_t bytes) {
  std::atomic_ref(GC_non_gc_bytes).fetch_sub(bytes, std::memory_order_relaxed);
}

/// Whether a collection leaves the object alone whatever refers to it.
inline bool is_uncollectable(const void* object) {
  const heap::Chunk& chunk = *heap::Chunk::of(object);
  return !chunk.kind_table()[chunk.kind_of(object)].is_collectable;
}

}  // namespace jackdaw::c_interface
