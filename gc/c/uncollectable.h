// Uncollectable objects, which live until they are freed explicitly. GC_get_non_gc_bytes returns their bytes.
#pragma once

#include <cstddef>

#include "gc/process/threads/own_work.h"
#include "heap/chunk.h"
#include "heap/kind.h"

namespace jackdaw::c_interface {

/// Whether `memory`, which an allocation function returned, is an object that no collection frees.
inline bool is_uncollectable(const void* memory) {
  if (gc::OwnMemory::owns(memory)) return false;
  const heap::Chunk& chunk = *heap::Chunk::of(memory);
  return !chunk.kind_table()[chunk.kind_of(memory)].is_collectable;
}

/// Adds `bytes` to the bytes of uncollectable objects; a decrease is in two's complement.
void count_uncollectable(std::size_t bytes);

/// Returns an object of a kind, counted if it is uncollectable, or null when there is no memory.
void* try_allocate_counted(std::size_t bytes, heap::KindNumber kind,
                           heap::LargeAddresses addresses = heap::LargeAddresses::all);
/// Returns such an object, or what the out-of-memory function returns.
void* allocate_counted(std::size_t bytes, heap::KindNumber kind,
                       heap::LargeAddresses addresses = heap::LargeAddresses::all);
/// Returns an object of an uncollectable kind as allocate_counted() does. It has no extra byte: an address
/// right behind it need not keep it.
void* allocate_uncollectable(std::size_t bytes, heap::KindNumber kind);

}  // namespace jackdaw::c_interface
