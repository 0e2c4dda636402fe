// Page memory as spans and for containers: the collector's own tables live in it (base/page_memory.h).
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <span>
#include <vector>

#include "base/page_memory.h"
#include "base/throw_or_end.h"

namespace jackdaw::base {

/// Zeroed memory of at least `bytes` bytes, or an empty span when there is none. What is not touched takes no
/// memory. Any thread.
inline std::span<std::byte> map_memory(std::size_t bytes) {
  void* const memory = bytes == 0 ? nullptr : PageMemory::allocate(bytes);
  if (memory == nullptr) return {};
  return {static_cast<std::byte*>(memory), bytes};
}
/// Gives back what map_memory gave.
inline void unmap_memory(std::span<std::byte> memory) {
  if (!memory.empty()) PageMemory::release(memory.data(), memory.size());
}

/// An allocator for containers of the standard library over map_memory. Each allocation takes whole pages, so
/// it is for few, long ones.
template <typename T>
class SystemAllocator {
 public:
  using value_type = T;
  static constexpr std::size_t kElementBytes = sizeof(T);  // NOLINT(bugprone-sizeof-expression): any T

  SystemAllocator() = default;
  template <typename Other>
  SystemAllocator(const SystemAllocator<Other>&) {}  // NOLINT(google-explicit-constructor): as allocators are

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / kElementBytes) throw_or_end(std::bad_alloc());
    const std::span<std::byte> memory = map_memory(count * kElementBytes);
    if (memory.empty()) throw_or_end(std::bad_alloc());
    return reinterpret_cast<T*>(memory.data());
  }
  void deallocate(T* start, std::size_t count) {
    unmap_memory({reinterpret_cast<std::byte*>(start), count * kElementBytes});
  }
  friend bool operator==(const SystemAllocator&, const SystemAllocator&) { return true; }
};

/// A vector for the collector's own tables.
template <typename T>
using SystemVector = std::vector<T, SystemAllocator<T>>;

}  // namespace jackdaw::base
