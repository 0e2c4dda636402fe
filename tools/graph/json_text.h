// JsonText: the JSON of a file, byte by byte, with strings that a parser accepts and has room for.
//
// Runtimes write strings of any length and with bytes that are no UTF-8, and V8 writes the lowest 16 bits of
// a character as its escape, although it may have more. Here, bytes that are no UTF-8 and escapes of
// surrogates become other characters, and long strings are cut.
//
// Invariant: a parser that forgets each value when it has taken it never holds more than kLongestValue bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

#include "tools/graph/byte_source.h"

namespace jackdaw::tools {

class JsonText {
 public:
  /// Longer strings are cut behind the character or escape that reaches this number of bytes.
  static constexpr std::uint64_t kLongestString = 4096;
  /// A value, with the blanks around it, has at most this many bytes.
  static constexpr std::uint64_t kLongestValue = std::uint64_t{1} << 20;

  /// Reads from `source`, which is at the start of the JSON.
  explicit JsonText(ByteSource& source) : source_(source) { begin_value(); }

  /// To be called with each value and key that the parser has taken. A longer one is an error of the source.
  void begin_value() { source_.set_bound(source_.offset() + kLongestValue, "JSON value of a MiB"); }

  /// Whether the parser has taken all; to be asked before each byte.
  [[nodiscard]] bool at_end() {
    if (!is_in_string_) return source_.at_end();
    while (waiting_.empty() && !source_.at_end()) read_part();
    return waiting_.empty();
  }
  /// The next byte for the parser. Throws InputError at the end of the longest value.
  char next() {
    ++taken_;
    if (is_in_string_) return take_waiting();
    const std::uint8_t byte = source_.read_u1();
    if (byte == '"') is_in_string_ = true;
    return static_cast<char>(byte);
  }
  /// How many bytes the parser has taken.
  [[nodiscard]] std::uint64_t taken() const { return taken_; }

 private:
  char take_waiting() {
    const char byte = waiting_.front();
    waiting_ = waiting_.subspan(1);
    ++string_bytes_;
    if (is_last_) {
      is_in_string_ = is_last_ = false;
      string_bytes_ = 0;
    }
    return byte;
  }
  void read_part();
  char read_escape(std::uint8_t byte);
  std::size_t read_character(std::uint8_t first);

  ByteSource& source_;
  std::uint64_t taken_ = 0;
  std::array<char, 4> part_{};     ///< of a string: a character, or a byte of an escape
  std::span<const char> waiting_;  ///< for the parser: the rest of the part

  // The members that follow describe the string that the parser takes.
  bool is_in_string_ = false;
  std::uint64_t string_bytes_ = 0;
  bool is_left_out_ = false;       ///< the present character or escape
  bool is_last_ = false;           ///< the present part is the quote at the end
  unsigned escape_bytes_ = 0;      ///< of the present escape, so far
  bool may_be_surrogate_ = false;  ///< the present escape
};

/// An input iterator over the bytes of a JsonText, for parsers that take iterators, such as nlohmann-json:
/// each byte is read once.
class JsonIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  JsonIterator() = default;  ///< the end
  explicit JsonIterator(JsonText& text) : text_(&text) {}

  char operator*() const { return text_->next(); }
  JsonIterator& operator++() { return *this; }
  friend bool operator==(const JsonIterator& here, const JsonIterator& /*end*/) {
    return here.text_->at_end();
  }

 private:
  JsonText* text_ = nullptr;
};

}  // namespace jackdaw::tools
