// Terminal: what can be shown where standard output goes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jackdaw::tools {

struct Terminal {
  bool has_utf8 = true;     ///< by LC_ALL, LC_CTYPE or LANG, of which the first that is set counts
  std::size_t columns = 0;  ///< COLUMNS, or the terminal's; 0: lines may have any length

  [[nodiscard]] static Terminal of_output();

  /// Returns the text with each line cut to the columns, and '?' for characters that cannot be shown.
  [[nodiscard]] std::string fit(std::string_view text) const;
};

}  // namespace jackdaw::tools
