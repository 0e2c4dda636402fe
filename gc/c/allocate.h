// Allocate: the short way to an object that all allocation functions of the C interface take.
#pragma once

#include <cstddef>

#include "gc/c/start.h"
#include "gc/process/process_collector.h"
#include "heap/chunk.h"
#include "heap/kind.h"
#include "heap/size_classes.h"

namespace jackdaw::c_interface {

/// Warns, calls the out-of-memory function for `bytes` and returns its result. Without the lock.
void* out_of_memory(std::size_t bytes);

/// The bytes of an object of which `bytes` were asked for: whole granules, the extra byte included; 0 when
/// they are too many to be counted.
std::size_t whole_bytes(std::size_t bytes);

/// An object of a kind, or null when there is no memory, for any number of bytes. While the calling thread
/// works for the collector it is memory of that, and no object (OwnMemory).
void* try_allocate(std::size_t bytes, heap::KindNumber kind,
                   heap::LargeAddresses addresses = heap::LargeAddresses::all);

/// Allocates likewise, or returns what the out-of-memory function does.
void* allocate_slowly(std::size_t bytes, heap::KindNumber kind,
                      heap::LargeAddresses addresses = heap::LargeAddresses::all);

/// An object of a collectable kind, or what the out-of-memory function returns, for any number of bytes.
/// Mostly no call.
[[gnu::always_inline]] inline void* allocate(std::size_t bytes, heap::KindNumber kind) {
  // Less than the largest: there may be an extra byte.
  if (bytes < heap::kLargestSmallBytes) [[likely]] {
    if (void* const object = gc::ProcessCollector::allocate_from_run(bytes + extra_bytes, kind)) [[likely]]
      return object;
  }
  return allocate_slowly(bytes, kind);
}

}  // namespace jackdaw::c_interface
