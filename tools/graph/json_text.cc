#include "tools/graph/json_text.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "tools/command/utf8.h"

namespace jackdaw::tools {

namespace {

/// The bytes of an escape such as \u00e9: the backslash, the letter and four digits.
constexpr unsigned kEscapeBytes = 6;

constexpr std::string_view kReplacement = "\ufffd";

}  // namespace

/// Reads one byte of a string, or a whole character, whose bytes then wait unless it is left out.
void JsonText::read_part() {
  const std::uint8_t byte = source_.read_u1();
  is_last_ = byte == '"' && escape_bytes_ != 1;
  std::size_t length = 1;
  part_[0] = static_cast<char>(byte);
  if (escape_bytes_ > 0) {
    part_[0] = read_escape(byte);
  } else {
    // JSON forbids control characters everywhere, so the parser must see them.
    is_left_out_ = string_bytes_ >= kLongestString && byte >= ' ' && !is_last_;
    if (byte == '\\') escape_bytes_ = 1;
    if (byte >= 0x80) length = read_character(byte);
  }
  if (is_left_out_) return begin_value();
  waiting_ = std::span(part_).first(length);
}

/// Returns the next byte of an escape for the parser; that of a surrogate becomes another character's.
char JsonText::read_escape(std::uint8_t byte) {
  const unsigned place = escape_bytes_++;
  if (place == 1) {
    if (byte != 'u') escape_bytes_ = 0;
    return static_cast<char>(byte);
  }
  if (std::isxdigit(byte) == 0) {  // the parser must see that it is no escape
    escape_bytes_ = 0;
    is_left_out_ = false;
    return static_cast<char>(byte);
  }
  if (escape_bytes_ == kEscapeBytes) escape_bytes_ = 0;
  if (place == 2) may_be_surrogate_ = byte == 'd' || byte == 'D';
  return place == 3 && may_be_surrogate_ && byte >= '8' ? '0' : static_cast<char>(byte);
}

/// Reads the rest of the character that begins with `first`, or replaces invalid bytes by another one.
/// Returns the character's length.
std::size_t JsonText::read_character(std::uint8_t first) {
  const Utf8Rest rest = utf8_rest(first);
  std::size_t read = 0;
  while (read < rest.count && !source_.at_end() && rest.may_have(read, source_.peek_u1()))
    part_[++read] = static_cast<char>(source_.read_u1());
  if (read == rest.count && rest.count > 0) return 1 + read;
  std::ranges::copy(kReplacement, part_.begin());
  return kReplacement.size();
}

}  // namespace jackdaw::tools
