// Object address: from the address that a program knows an object of a C++ type by to the one that the heap
// knows it by.
//
//   from       what
//   0          header: leads to the type's gc::TraceDescriptor
//   8 or 16    the object as the program sees it; 16 if its type is aligned to 16 bytes
//
// So what the program has is 8 or 0 modulo 16, and the start is the last multiple of 16 before it; also for a
// base class that lies 8 bytes into the object, because a class derived from it has the first virtual
// function.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heap/chunk.h"
#include "heap/layout.h"
#include "heap/object.h"

namespace jackdaw::internal {

/// Where an object of type T begins in its slot.
template <typename T>
inline constexpr std::size_t kObjectOffset = alignof(T) > heap::kWordBytes ? heap::kGranuleBytes
                                                                           : heap::kWordBytes;

/// Where the slot starts of an object that begins at `object`, or 8 bytes before it.
inline heap::Object* start_of(const void* object) {
  constexpr std::uintptr_t kGranuleMask = ~std::uintptr_t{heap::kGranuleBytes - 1};
  return reinterpret_cast<heap::Object*>((reinterpret_cast<std::uintptr_t>(object) - 1) & kGranuleMask);
}

/// The object of the heap that an address lies in, which may be anywhere in it: a mixin's.
inline heap::Object* start_of_object_with(const void* mixin) {
  const auto address = reinterpret_cast<std::uintptr_t>(mixin);
  // An object that is longer than a chunk has only its start in one: but no mixin lies so far behind that.
  return reinterpret_cast<heap::Object*>(heap::Chunk::of(mixin)->map().start_of_object_at(address));
}

/// From the first byte after the header to the object.
template <typename T>
T* object_behind_header(void* after_header) {
  return reinterpret_cast<T*>(static_cast<std::byte*>(after_header) + kObjectOffset<T> - heap::kWordBytes);
}
template <typename T>
const T* object_behind_header(const void* after_header) {
  return reinterpret_cast<const T*>(static_cast<const std::byte*>(after_header) + kObjectOffset<T> -
                                    heap::kWordBytes);
}

}  // namespace jackdaw::internal
