// Stands in for base/page_memory.h: the model checker knows the memory of new (see verify.h), and not the
// system's.
#pragma once

#include <cstddef>
#include <new>
#include <span>

#include "base/address_range.h"

namespace jackdaw::base {

inline std::size_t page_bytes() { return 4096; }
inline AddressRange pages_of(AddressRange range) { return range; }

struct PageMemory {
  static std::span<std::byte> allocate(std::size_t bytes) noexcept {
    return {static_cast<std::byte*>(::operator new(bytes)), bytes};
  }
  static bool can_spare(std::size_t) { return true; }
  static bool discard(void*, std::size_t) { return true; }
  static bool advise(void*, std::size_t, int) { return true; }
  static void release(std::span<std::byte> memory) { ::operator delete(memory.data()); }
};

}  // namespace jackdaw::base
