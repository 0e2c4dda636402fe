// UTF-8: the bytes that make up a character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace jackdaw::tools {

/// The bytes of a character behind its first one: their number, and the range of the second; the others are
/// 0x80 to 0xbf. Only shortest forms, and no surrogates, are valid.
struct Utf8Rest {
  std::size_t count = 0;
  std::uint8_t least_second = 0x80;
  std::uint8_t most_second = 0xbf;

  /// Whether `byte` is valid at number `place` of them, from 0.
  [[nodiscard]] bool may_have(std::size_t place, std::uint8_t byte) const {
    if (place == 0) return byte >= least_second && byte <= most_second;
    return (byte & 0xc0) == 0x80;
  }
};

/// Returns the bytes that follow `first`, which is above 0x7f; none if it cannot begin a character.
[[nodiscard]] constexpr Utf8Rest utf8_rest(std::uint8_t first) {
  if (first >= 0xc2 && first <= 0xdf) return {.count = 1};
  if (first == 0xe0) return {.count = 2, .least_second = 0xa0};
  if (first == 0xed) return {.count = 2, .most_second = 0x9f};
  if (first >= 0xe1 && first <= 0xef) return {.count = 2};
  if (first == 0xf0) return {.count = 3, .least_second = 0x90};
  if (first == 0xf4) return {.count = 3, .most_second = 0x8f};
  if (first >= 0xf1 && first <= 0xf3) return {.count = 3};
  return {};
}

/// Returns the length of the character that `text`, which is not empty, begins with; 0 if it is invalid.
[[nodiscard]] inline std::size_t utf8_length(std::string_view text) {
  const auto first = static_cast<std::uint8_t>(text.front());
  if (first < 0x80) return 1;
  const Utf8Rest rest = utf8_rest(first);
  if (rest.count == 0 || text.size() <= rest.count) return 0;
  for (std::size_t place = 0; place < rest.count; ++place) {
    if (!rest.may_have(place, static_cast<std::uint8_t>(text[place + 1]))) return 0;
  }
  return rest.count + 1;
}

}  // namespace jackdaw::tools
