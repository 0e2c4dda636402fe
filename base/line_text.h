// LineText: builds a line of text without malloc, stdio and the locale, so that it may be used while threads
// are stopped.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace jackdaw::base {

/// A line of bounded length. Text that does not fit is cut off.
class LineText {
 public:
  LineText& operator<<(std::string_view text) {
    const std::size_t length = std::min(text.size(), text_.size() - length_);
    std::copy_n(text.data(), length, text_.data() + length_);
    length_ += length;
    return *this;
  }
  LineText& operator<<(const char* text) { return *this << std::string_view(text); }
  LineText& operator<<(std::uint64_t number) { return append(number, 10); }
  LineText& operator<<(const void* address) {
    *this << "0x";
    return append(reinterpret_cast<std::uintptr_t>(address), 16);
  }
  [[nodiscard]] std::string_view text() const { return {text_.data(), length_}; }

 private:
  LineText& append(std::uint64_t number, int base) {
    std::array<char, 20> digits;
    const char* const end = std::to_chars(digits.begin(), digits.end(), number, base).ptr;
    return *this << std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data()));
  }

  std::array<char, 1024> text_;
  std::size_t length_ = 0;
};

}  // namespace jackdaw::base
