// Uncollectable objects: those that live until they are freed by hand. Their bytes are what
// GC_get_non_gc_bytes tells.
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

/// An uncollectable object grew by so many bytes, or shrank (then in two's complement).
void count_uncollectable(std::size_t bytes);

/// An object of a kind, or null when there is no memory; counted if it is uncollectable.
void* try_allocate_counted(std::size_t bytes, heap::KindNumber kind,
                           heap::LargeAddresses addresses = heap::LargeAddresses::all);
/// The same, or what the out-of-memory function returns.
void* allocate_counted(std::size_t bytes, heap::KindNumber kind,
                       heap::LargeAddresses addresses = heap::LargeAddresses::all);

}  // namespace jackdaw::c_interface
