// Uncollectable objects, which live until they are freed explicitly. GC_get_non_gc_bytes tells their bytes.
#pragma once

#include <cstddef>

#include "gc/process/threads/own_work.h"
#include "heap/chunk.h"
#include "heap/kind.h"

namespace jackdaw::c_interface {

/// Whether it is an object, and a collection leaves it alone whatever refers to it.
inline bool is_uncollectable(const void* object) {
  if (gc::OwnMemory::owns(object)) return false;
  const heap::Chunk& chunk = *heap::Chunk::of(object);
  return !chunk.kind_table()[chunk.kind_of(object)].is_collectable;
}

/// An uncollectable object grew by `bytes`, or shrank (then in two's complement).
void count_uncollectable(std::size_t bytes);

/// An object of a kind, or null when there is no memory; counted if it is uncollectable.
void* try_allocate_counted(std::size_t bytes, heap::KindNumber kind,
                           heap::LargeAddresses addresses = heap::LargeAddresses::all);
/// Allocates likewise, or returns what the out-of-memory function does.
void* allocate_counted(std::size_t bytes, heap::KindNumber kind,
                       heap::LargeAddresses addresses = heap::LargeAddresses::all);

}  // namespace jackdaw::c_interface
