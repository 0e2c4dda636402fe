// SystemArray: an array of fixed length in pages of its own, for the collector's tables.
//
// Unlike a vector it never throws: an array for which there was no memory is empty. So it may be made while
// the program's threads are stopped; to throw takes malloc, whose lock one of them may hold.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "base/system_memory.h"

namespace jackdaw::heap {

/// Owns its elements' memory. Used by one thread at a time.
template <typename T>
requires std::is_trivially_copyable_v<T>
class SystemArray {
  static constexpr std::size_t kElementBytes = sizeof(T);  // NOLINT(bugprone-sizeof-expression): any T

 public:
  /// No elements.
  SystemArray() = default;
  /// `length` zeroed elements, or none when there is no memory.
  explicit SystemArray(std::size_t length) {
    if (length <= std::numeric_limits<std::size_t>::max() / kElementBytes)
      memory_ = base::map_memory(length * kElementBytes);
  }
  ~SystemArray() { base::unmap_memory(memory_); }
  SystemArray(SystemArray&& other) noexcept : memory_(std::exchange(other.memory_, {})) {}
  SystemArray& operator=(SystemArray&& other) noexcept {
    std::swap(memory_, other.memory_);
    return *this;
  }

  [[nodiscard]] bool empty() const { return memory_.empty(); }
  [[nodiscard]] std::size_t size() const { return memory_.size() / kElementBytes; }
  [[nodiscard]] T* data() { return reinterpret_cast<T*>(memory_.data()); }
  [[nodiscard]] const T* data() const { return reinterpret_cast<const T*>(memory_.data()); }
  T& operator[](std::size_t index) { return data()[index]; }
  const T& operator[](std::size_t index) const { return data()[index]; }

 private:
  std::span<std::byte> memory_;
};

}  // namespace jackdaw::heap
