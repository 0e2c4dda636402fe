// median_of: the median of several runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace jackdaw::tools {

/// Returns the middle value, or the mean of the two middle ones. `values` is not empty.
inline double median_of(std::vector<double> values) {
  const std::size_t middle = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace jackdaw::tools
