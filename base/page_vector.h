// PageVector: a vector in pages of its own that does not throw.
//
// Throwing calls malloc, whose lock a stopped thread may hold. So this is the vector for code that runs while
// threads are stopped, or that a collection would wait for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/page_array.h"
#include "base/throw_or_end.h"

namespace jackdaw::base {

/// Used by one thread at a time, which may be the one that collects while the others are stopped. Its memory
/// is no root.
template <typename T>
requires std::is_trivially_copyable_v<T>
class PageVector {
 public:
  PageVector() = default;
  PageVector(const PageVector&) = delete;
  PageVector& operator=(const PageVector&) = delete;

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const T& operator[](std::size_t index) const {
    JACKDAW_CHECK(index < size_);
    return elements_[index];
  }
  [[nodiscard]] T& operator[](std::size_t index) {
    JACKDAW_CHECK(index < size_);
    return elements_[index];
  }
  [[nodiscard]] const T* data() const { return elements_.data(); }
  [[nodiscard]] std::span<const T> span() const { return {elements_.data(), size_}; }
  [[nodiscard]] T* begin() { return elements_.data(); }
  [[nodiscard]] T* end() { return elements_.data() + size_; }
  [[nodiscard]] const T* begin() const { return elements_.data(); }
  [[nodiscard]] const T* end() const { return elements_.data() + size_; }

  /// Amortised O(1). False when there is no memory, with nothing changed.
  [[nodiscard]] bool append(const T& element) {
    if (!reserve(size_ + 1)) return false;
    append_reserved(element);
    return true;
  }
  /// Appends where reserve() has made room. O(1).
  void append_reserved(const T& element) {
    JACKDAW_CHECK(size_ < elements_.size());
    elements_[size_++] = element;
  }
  /// Appends all of them, which are not this vector's. False when there is no memory, with nothing changed.
  [[nodiscard]] bool append_all(std::span<const T> elements) {
    if (!reserve(size_ + elements.size())) return false;
    std::copy_n(elements.data(), elements.size(), end());
    size_ += elements.size();
    return true;
  }
  /// Makes room for `size` elements in all. False when there is no memory, with nothing changed.
  [[nodiscard]] bool reserve(std::size_t size) {
    return size <= elements_.size() || grow(std::max({kFirstLength, 2 * elements_.size(), size}));
  }
  /// Makes room as reserve() does, but throws std::bad_alloc when there is no memory.
  void reserve_or_throw(std::size_t size) {
    if (!reserve(size)) throw_or_end(std::bad_alloc());
  }
  /// Removes the last of at least one.
  [[nodiscard]] T take_last() {
    JACKDAW_CHECK(size_ != 0);
    return elements_[--size_];
  }
  /// Removes the elements for which `is_unwanted(T&)`, which may also change elements; the others keep their
  /// order.
  template <typename Predicate>
  void remove_if(Predicate is_unwanted) {
    size_ = static_cast<std::size_t>(std::remove_if(begin(), end(), is_unwanted) - begin());
  }
  /// Removes all but the first `size` elements, and keeps the memory.
  void shorten(std::size_t size) {
    JACKDAW_CHECK(size <= size_);
    size_ = size;
  }
  /// Removes all elements and keeps the memory.
  void clear() { size_ = 0; }

 private:
  // A page at least, which smaller arrays take, too.
  static constexpr std::size_t kFirstLength = std::max<std::size_t>(256, 4096 / sizeof(T));

  bool grow(std::size_t length) {
    PageArray<T> longer(length);
    if (longer.empty()) return false;
    std::copy_n(elements_.data(), size_, longer.data());
    elements_ = std::move(longer);
    return true;
  }

  PageArray<T> elements_;
  std::size_t size_ = 0;
};

}  // namespace jackdaw::base
