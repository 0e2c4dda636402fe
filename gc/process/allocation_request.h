// AllocationRequest: memory that a thread asks for, beyond the free slots that it has at hand.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gc/process/threads/thread_registry.h"
#include "heap/allocator.h"
#include "heap/kind.h"

namespace jackdaw::gc {

/// A request of the calling thread, which is registered.
struct AllocationRequest {
  ProcessThread& thread;
  std::size_t bytes;
  heap::KindNumber kind;
  heap::LargeAddresses addresses;
  // The calling thread's stack ends here: frames below it are the collector's own.
  std::uintptr_t stack_pointer;

  /// The memory, or null when the heap refuses it.
  [[nodiscard]] void* attempt() const { return attempt_by(thread.allocator()); }
  [[nodiscard]] void* attempt_by(heap::Allocator& allocator) const {
    const ThreadRegistry::CriticalSection critical(thread);
    if (bytes > heap::kLargestSmallBytes) return allocator.allocate_large(bytes, kind, addresses);
    return allocator.allocate_from_heap(std::max<std::size_t>(bytes, 1), kind);
  }
};

/// The answer to a request.
struct AllocationAnswer {
  enum class Kind : std::uint8_t {
    none,   ///< the part that was asked cannot help
    retry,  ///< attempt() may succeed now
    final,
  };
  Kind kind = Kind::none;
  void* memory = nullptr;  ///< where it is final: null when there is none

  static AllocationAnswer retry() { return {Kind::retry}; }
  static AllocationAnswer of(void* memory) { return {Kind::final, memory}; }
};

}  // namespace jackdaw::gc
