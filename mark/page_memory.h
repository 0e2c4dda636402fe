// PageMemory: memory straight from the operating system, in whole pages.
//
// What the engine needs while it marks comes from here: a collector may have stopped a thread that holds
// malloc's lock. For the same reason nothing is thrown: that takes malloc, too.
#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace jackdaw::mark {

/// Any thread.
struct PageMemory {
  /// At least `bytes` bytes, or null when there are none.
  static void* allocate(std::size_t bytes) noexcept {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
  }
  /// Gives back what allocate gave for so many bytes.
  static void release(void* memory, std::size_t bytes) { munmap(memory, bytes); }
};

}  // namespace jackdaw::mark
