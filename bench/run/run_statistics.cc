#include "bench/run/run_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include <string_view>
#include <vector>

namespace jackdaw::bench {

namespace {

// The number after "WORD=", 0 where that is missing.
double number_after(const std::string& line, std::string_view word) {
  const std::size_t start = line.find(word);
  return start == std::string::npos ? 0 : std::strtod(line.c_str() + start + word.size(), nullptr);
}

// The least that so large a part of the sorted values does not exceed.
double percentile(const std::vector<double>& sorted, double part) {
  const double rank = std::ceil(part * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

}  // namespace

std::string summarise_collections(const std::string& log) {
  std::vector<double> pauses;
  double live = 0;
  double peak_heap = 0;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("jackdaw: collection=", 0) != 0) continue;
    pauses.push_back(number_after(line, " pause_ms="));
    live = number_after(line, " live_mib=");
    peak_heap = std::max(peak_heap, number_after(line, " heap_mib="));
  }
  if (pauses.empty()) return "jackdaw: no collections\n";
  std::sort(pauses.begin(), pauses.end());
  return fmt::format(
      "jackdaw: collections: {}; pauses: {:.3f} ms in all, p50 {:.3f} ms, p99 {:.3f} ms, max {:.3f} ms\n"
      "jackdaw: {:.3f} MiB live after the last, peak heap {:.3f} MiB\n",
      pauses.size(), std::accumulate(pauses.begin(), pauses.end(), 0.0), percentile(pauses, 0.5),
      percentile(pauses, 0.99), pauses.back(), live, peak_heap);
}

}  // namespace jackdaw::bench
