// PageMemory: memory straight from the operating system, in whole pages.
//
// What the engine needs while it marks comes from here: a collector may have stopped a thread that holds
// malloc's lock.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace jackdaw::mark {

/// Any thread.
struct PageMemory {
  /// At least `bytes` bytes. Throws std::bad_alloc.
  static void* allocate(std::size_t bytes) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return memory;
  }
  /// Gives back what allocate gave for so many bytes.
  static void release(void* memory, std::size_t bytes) { munmap(memory, bytes); }
};

}  // namespace jackdaw::mark
