// Prefetching: asks the processor for memory ahead of its use.
#pragma once

#include <algorithm>
#include <cstddef>

namespace jackdaw::base {

/// The unit in which memory travels between cores, in bytes.
inline constexpr std::size_t kCacheLineBytes = 64;

/// Asks for the cache line of `address`, to be read. It need not be an address that may be touched.
inline void prefetch_to_read(const void* address) {
#if defined(__x86_64__)
  // An assembler instruction replaces the built-in function: GCC takes a function that does nothing else for
  // one without effect, and drops calls that it did not inline early.
  asm volatile("prefetcht0 %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address);
#endif
}

/// Asks for the cache line of `address`, to be written: other cores' copies are called in meanwhile. It need
/// not be an address that may be touched.
inline void prefetch_to_write(const void* address) {
#if defined(__x86_64__)
  // The built-in function would ask for a copy to read, unless the compiler knows that the processor is a
  // recent one. Processors that do not know the instruction pass over it.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

/// Asks for the lines of `count` elements of an array from `first` on, to be written. O(lines).
template <typename Element>
void prefetch_to_write(const Element* first, std::size_t count) {
  constexpr std::size_t kElementsOfALine = std::max<std::size_t>(1, kCacheLineBytes / sizeof(Element));
  for (std::size_t i = 0; i < count; i += kElementsOfALine) prefetch_to_write(first + i);
}

}  // namespace jackdaw::base
