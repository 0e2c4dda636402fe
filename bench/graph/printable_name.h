// Names out of files, as people may see them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace jackdaw::bench {

/// Names are cut to this many bytes: a hostile file may repeat a long one at no cost.
inline constexpr std::size_t kLongestName = 256;

/// The beginning of `name`, without what could confuse a terminal.
[[nodiscard]] inline std::string printable_name(std::string name) {
  const auto is_continuation = [](char letter) {
    return (static_cast<unsigned char>(letter) & 0xc0) == 0x80;
  };
  std::size_t length = std::min(name.size(), kLongestName);
  while (length < name.size() && length > 0 && is_continuation(name[length])) --length;
  name.resize(length);
  std::ranges::replace_if(
      name, [](char letter) { return static_cast<unsigned char>(letter) < ' ' || letter == 0x7f; }, '?');
  return name;
}

}  // namespace jackdaw::bench
