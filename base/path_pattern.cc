#include "base/path_pattern.h"

#include <unistd.h>

#include <cstddef>

namespace jackdaw::base {

std::string expand_path(std::string_view pattern, std::optional<std::uint64_t> collection) {
  std::string path;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char next = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (next == 'p') {
      path += std::to_string(getpid());
    } else if (next == 'n' && collection) {
      path += std::to_string(*collection);
    } else if (next == '%') {
      path += '%';
    } else {
      path += pattern[i];
      continue;
    }
    ++i;
  }
  return path;
}

}  // namespace jackdaw::base
