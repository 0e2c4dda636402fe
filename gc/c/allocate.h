// Allocate: the way to an object that all allocation functions of the C interface take. The calling thread's
// free slots are tried inline, then the rest of its block, and then the collector is asked.
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

/// An object in the calling thread's free slots, or null, for any number of bytes. No call.
[[gnu::always_inline]] inline void* allocate_from_run(std::size_t bytes, heap::KindNumber kind) {
  // Less than the largest: there may be an extra byte.
  if (bytes >= heap::kLargestSmallBytes) [[unlikely]]
    return nullptr;
  return gc::ProcessCollector::allocate_from_run(bytes + extra_bytes, kind);
}

/// Returns an object from the rest of the calling thread's block at hand, or null. Takes any number of bytes.
void* allocate_from_block(std::size_t bytes, heap::KindNumber kind);

/// An object of a kind, or null when there is no memory, for any number of bytes. While the calling thread
/// works for the collector it is memory of that, and no object (OwnMemory).
void* try_allocate(std::size_t bytes, heap::KindNumber kind,
                   heap::LargeAddresses addresses = heap::LargeAddresses::all);

/// The part of allocate() beyond the free slots at hand.
void* allocate_or_report(std::size_t bytes, heap::KindNumber kind, heap::LargeAddresses addresses);

/// Allocates as try_allocate, or returns what the out-of-memory function does. Mostly no call.
[[gnu::always_inline]] inline void* allocate(std::size_t bytes, heap::KindNumber kind,
                                             heap::LargeAddresses addresses = heap::LargeAddresses::all) {
  void* const object = allocate_from_run(bytes, kind);
  return object != nullptr ? object : allocate_or_report(bytes, kind, addresses);
}

}  // namespace jackdaw::c_interface
