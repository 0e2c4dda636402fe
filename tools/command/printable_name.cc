#include "tools/command/printable_name.h"

#include <algorithm>

#include "tools/command/utf8.h"

namespace jackdaw::tools {

namespace {

bool is_continuation(char letter) { return (static_cast<unsigned char>(letter) & 0xc0) == 0x80; }

/// Whether a terminal does something other than show the character.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return first < ' ' || first == 0x7f;
  if (character.size() == 2)
    return (character >= "\xc2\x80" && character <= "\xc2\x9f") || character == "\u061c";
  return (character >= "\u200e" && character <= "\u200f") ||
         (character >= "\u2028" && character <= "\u202e") ||
         (character >= "\u2066" && character <= "\u2069") || character == "\ufeff";
}

}  // namespace

std::string name_to_keep(std::string name) {
  if (name.size() <= kLongestName) return name;
  std::size_t length = kLongestName;
  // A character has at most three bytes behind its first one.
  while (kLongestName - length < 3 && is_continuation(name[length])) --length;
  name.resize(length);
  return name;
}

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0 || is_control(character)) {
      shown += '?';
    } else {
      shown += character;
    }
    text.remove_prefix(character.size());
  }
  return shown;
}

}  // namespace jackdaw::tools
