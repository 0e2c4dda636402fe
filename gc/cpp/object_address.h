// Object address: converts the program's address of an object of a C++ type to the heap's.
//
//   from       what
//   0          header: leads to the type's gc::TraceDescriptor
//   8 or 16    the object as the program sees it; 16 if its type is aligned to 16 bytes
//
// So the program's address is 8 or 0 modulo 16, and the start is the last multiple of 16 before it. That
// holds, too, for a base class 8 bytes into the object, because a derived class added the first virtual
// function.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heap/chunk.h"
#include "heap/layout.h"
#include "heap/object.h"

namespace jackdaw::internal {

/// Returns the offset of an object of type T in its slot.
template <typename T>
inline constexpr std::size_t kObjectOffset = alignof(T) > heap::kWordBytes ? heap::kGranuleBytes
                                                                           : heap::kWordBytes;

/// Returns the start of the slot of an object that begins at `object`, or 8 bytes before it.
inline heap::Object* start_of(const void* object) {
  constexpr std::uintptr_t kGranuleMask = ~std::uintptr_t{heap::kGranuleBytes - 1};
  return reinterpret_cast<heap::Object*>((reinterpret_cast<std::uintptr_t>(object) - 1) & kGranuleMask);
}

/// Returns the heap's object that holds the mixin at any place inside.
inline heap::Object* start_of_object_with(const void* mixin) {
  const auto address = reinterpret_cast<std::uintptr_t>(mixin);
  // Only the start of an object longer than a chunk is in the chunk's table, but no mixin lies that far
  // behind the start.
  return reinterpret_cast<heap::Object*>(heap::Chunk::of(mixin)->map().start_of_object_at(address));
}

/// The bytes between the header and the object.
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
