// Printable names: how much of a file's names is kept, and how they are shown to people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jackdaw::tools {

/// Names are cut to this many bytes, since a hostile file may repeat a long one at no cost.
inline constexpr std::size_t kLongestName = 256;

/// Returns the beginning of `name` unchanged.
[[nodiscard]] std::string name_to_keep(std::string name);

/// Returns `text`, from a file, a file's name or the command line, in a form for a terminal: control
/// characters, those that change the direction of writing, and bytes that are no UTF-8 become '?'. JSON
/// escapes names itself.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace jackdaw::tools
