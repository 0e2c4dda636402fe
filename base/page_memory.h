// PageMemory: memory straight from the operating system, in whole pages.
//
// The engine and the collector allocate here what they need while the program's threads are stopped: a
// stopped thread may hold malloc's lock. For the same reason nothing throws, since that calls malloc, too.
#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace jackdaw::base {

/// Any thread.
struct PageMemory {
  /// At least `bytes` zeroed bytes, or null when there are none. What is not touched takes no memory.
  static void* allocate(std::size_t bytes) noexcept {
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
  }
  /// Gives back what allocate gave for so many bytes.
  static void release(void* memory, std::size_t bytes) noexcept { munmap(memory, bytes); }
};

}  // namespace jackdaw::base
