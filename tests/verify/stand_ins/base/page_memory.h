// Stands in for base/page_memory.h: the model checker knows the memory of new (see verify.h), and not the
// system's.
#pragma once

#include <cstddef>
#include <new>

namespace jackdaw::base {

inline std::size_t page_bytes() { return 4096; }

struct PageMemory {
  static void* allocate(std::size_t bytes) noexcept { return ::operator new(bytes); }
  static bool can_spare(std::size_t) { return true; }
  static bool discard(void*, std::size_t) { return true; }
  static bool advise(void*, std::size_t, int) { return true; }
  static void release(void* memory, std::size_t) { ::operator delete(memory); }
};

}  // namespace jackdaw::base
