// Names out of files: how much of them is kept, and how people see them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jackdaw::tools {

/// Names are cut to this many bytes: a hostile file may repeat a long one at no cost.
inline constexpr std::size_t kLongestName = 256;

/// The beginning of `name`, as it is in the file.
[[nodiscard]] std::string name_to_keep(std::string name);

/// `text`, which comes from a file, a file's name or the command line, for a line on a terminal: control
/// characters, those that change the direction of writing, and bytes that are no UTF-8 become '?'. JSON
/// escapes names itself.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace jackdaw::tools
