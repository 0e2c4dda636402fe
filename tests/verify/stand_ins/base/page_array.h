// Stands in for base/page_array.h: the model checker knows the memory of new (see verify.h), and not the
// system's. Elements are made and not cleared, but for those of allocate_or_throw.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace jackdaw::base {

template <typename T>
class PageArray {
 public:
  PageArray() = default;
  explicit PageArray(std::size_t size) : elements_(new (std::nothrow) T[size]), size_(size) {}
  static PageArray reserve(std::size_t size) { return PageArray(size); }
  static PageArray reserve_or_throw(std::size_t size) { return PageArray(size); }
  static PageArray allocate_or_throw(std::size_t size) {
    PageArray array(size);
    // lower.awk goes by the name of the variable.
    for (T* cleared = array.data(); cleared != array.data() + size; ++cleared) new (cleared) T();
    return array;
  }
  PageArray(PageArray&& other) noexcept
      : elements_(std::move(other.elements_)), size_(std::exchange(other.size_, 0)) {}
  PageArray& operator=(PageArray&& other) noexcept {
    std::swap(elements_, other.elements_);
    std::swap(size_, other.size_);
    return *this;
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T* data() const { return elements_.get(); }
  T& operator[](std::size_t index) const { return elements_[index]; }
  [[nodiscard]] std::span<T> span() const { return {elements_.get(), size_}; }

 private:
  std::unique_ptr<T[]> elements_;
  std::size_t size_ = 0;
};

}  // namespace jackdaw::base
