// close_all_but(): closes the files that a process got from the one that forked it.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace jackdaw::base {

/// Closes all files of the process but those with the numbers in `kept`, some of which may be -1. Returns
/// whether that was possible, as it is since Linux 5.9. Without malloc.
template <std::size_t count>
bool close_all_but(std::array<int, count> kept) {
  std::ranges::sort(kept);
  unsigned begin = 0;
  for (const int number : kept) {
    const auto file = static_cast<unsigned>(number);
    if (number < 0 || file < begin) continue;
    if (file > begin && close_range(begin, file - 1, 0) != 0) return false;
    begin = file + 1;
  }
  return close_range(begin, ~0U, 0) == 0;
}

}  // namespace jackdaw::base
