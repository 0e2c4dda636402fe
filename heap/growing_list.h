// GrowingList: a list that grows at its end and never throws, for the collector's tables.
//
// Throwing takes malloc, whose lock a thread may hold that stands still: what grows while threads are
// stopped, or where a collection would wait for whoever grows it, is one of these.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "base/check.h"
#include "heap/system_array.h"

namespace jackdaw::heap {

/// Used by one thread at a time, which may be the one that collects while the others stand still. Its memory
/// is no root.
template <typename T>
class GrowingList {
 public:
  GrowingList() = default;
  GrowingList(const GrowingList&) = delete;
  GrowingList& operator=(const GrowingList&) = delete;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const T& operator[](std::size_t index) const {
    JACKDAW_CHECK(index < size_);
    return elements_[index];
  }
  [[nodiscard]] T& operator[](std::size_t index) {
    JACKDAW_CHECK(index < size_);
    return elements_[index];
  }
  [[nodiscard]] std::span<const T> span() const { return {elements_.data(), size_}; }

  /// Amortised O(1). False when there is no memory, with nothing changed.
  [[nodiscard]] bool append(const T& element) {
    if (!reserve(size_ + 1)) return false;
    elements_[size_++] = element;
    return true;
  }
  /// Makes room for so many elements in all. False when there is no memory, with nothing changed.
  [[nodiscard]] bool reserve(std::size_t size) {
    return size <= elements_.size() || grow(std::max({kFirstLength, 2 * elements_.size(), size}));
  }
  /// Removes the last of at least one.
  [[nodiscard]] T take_last() {
    JACKDAW_CHECK(size_ != 0);
    return elements_[--size_];
  }
  /// Removes the elements that `is_unwanted(T&)` says it of, which may also change them; the others keep
  /// their order.
  template <typename Predicate>
  void remove_if(Predicate is_unwanted) {
    T* const first = elements_.data();
    size_ = static_cast<std::size_t>(std::remove_if(first, first + size_, is_unwanted) - first);
  }
  /// Keeps the first elements alone: so many, and the memory.
  void shorten(std::size_t size) {
    JACKDAW_CHECK(size <= size_);
    size_ = size;
  }
  /// Keeps the memory.
  void clear() { size_ = 0; }

 private:
  static constexpr std::size_t kFirstLength = 256;

  bool grow(std::size_t length) {
    SystemArray<T> longer(length);
    if (longer.empty()) return false;
    std::copy_n(elements_.data(), size_, longer.data());
    elements_ = std::move(longer);
    return true;
  }

  SystemArray<T> elements_;
  std::size_t size_ = 0;
};

}  // namespace jackdaw::heap
