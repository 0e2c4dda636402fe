// nearest_name: the name that a mistyped word stands for, to be suggested.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jackdaw::tools {

/// Returns the name with the fewest letters to be put in, left out or replaced to get from `word` to it, at
/// most a third of the word's; or one that begins with `word`. Empty where there is none.
[[nodiscard]] std::string nearest_name(std::string_view word, const std::vector<std::string>& names);

}  // namespace jackdaw::tools
