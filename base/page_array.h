// PageArray: an array of fixed length in pages of its own.
//
// An array for which there is no memory is empty, so it may be made while the program's threads are stopped:
// throwing calls malloc, whose lock one of them may hold. A fresh page lies on the memory node of the first
// thread that writes to it, while memory from malloc may have been used by a thread of another node before.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "base/page_memory.h"
#include "base/throw_or_end.h"

namespace jackdaw::base {

/// Owns its elements' memory, as std::unique_ptr does: a constant array's elements may be changed. Their
/// bytes are all zero at first, which must be a value that they may have: no constructor runs. What is not
/// used takes no memory. Used by one thread at a time.
template <typename T>
requires std::is_trivially_destructible_v<T>
class PageArray {
 public:
  /// No elements.
  PageArray() = default;
  /// `size` elements, or none when there is no memory.
  explicit PageArray(std::size_t size) : PageArray(size, PageMemory::allocate) {}
  /// Returns an array of more elements than will soon be used (PageMemory::reserve), or of none.
  static PageArray reserve(std::size_t size) { return PageArray(size, PageMemory::reserve); }
  /// These throw std::bad_alloc when there is no memory.
  static PageArray allocate_or_throw(std::size_t size) { return or_throw(PageArray(size)); }
  static PageArray reserve_or_throw(std::size_t size) { return or_throw(reserve(size)); }

  ~PageArray() { PageMemory::release(std::as_writable_bytes(span())); }
  PageArray(PageArray&& other) noexcept
      : size_(std::exchange(other.size_, 0)), elements_(std::exchange(other.elements_, nullptr)) {}
  PageArray& operator=(PageArray&& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(elements_, other.elements_);
    return *this;
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T* data() const { return elements_; }
  T& operator[](std::size_t index) const { return elements_[index]; }
  [[nodiscard]] std::span<T> span() const { return {elements_, size_}; }

 private:
  static constexpr std::size_t kElementBytes = sizeof(T);  // NOLINT(bugprone-sizeof-expression): any T

  PageArray(std::size_t size, std::span<std::byte> (*take)(std::size_t bytes)) {
    if (size > std::numeric_limits<std::size_t>::max() / kElementBytes) return;
    const std::span<std::byte> memory = take(size * kElementBytes);
    if (memory.empty()) return;
    size_ = size;
    elements_ = std::launder(reinterpret_cast<T*>(memory.data()));
  }
  static PageArray or_throw(PageArray array) {
    if (array.empty()) throw_or_end(std::bad_alloc());
    return array;
  }

  std::size_t size_ = 0;
  T* elements_ = nullptr;
};

}  // namespace jackdaw::base
