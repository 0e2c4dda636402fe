// Allocate: the short way to an object that all allocation functions of the C interface take.
#pragma once

#include <cstddef>

#include "gc/c/start.h"
#include "gc/process/process_collector.h"
#include "heap/kind.h"
#include "heap/size_classes.h"

namespace jackdaw::c_interface {

/// What the out-of-memory function returns for so many bytes.
void* out_of_memory(std::size_t bytes);

/// An object of a kind, or what the out-of-memory function returns, for any number of bytes; without help
/// from the calling thread's free slots.
void* allocate_slowly(std::size_t bytes, heap::KindNumber kind);

/// The same of a big object of which only addresses near its start keep it.
void* allocate_kept_near_start(std::size_t bytes, heap::KindNumber kind);

/// An object of a kind, or what the out-of-memory function returns, for any number of bytes. Mostly no call.
[[gnu::always_inline]] inline void* allocate(std::size_t bytes, heap::KindNumber kind) {
  // Less than the largest: there may be an extra byte.
  if (bytes < heap::kLargestSmallBytes) [[likely]] {
    if (void* const object = gc::ProcessCollector::allocate_from_run(bytes + extra_bytes, kind)) [[likely]]
      return object;
  }
  return allocate_slowly(bytes, kind);
}

}  // namespace jackdaw::c_interface
