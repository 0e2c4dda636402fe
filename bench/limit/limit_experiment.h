// The experiment of `jackdaw limit`: how fast this machine reads memory, cache line by cache line.
//
// Settings are interleaved: each pass goes over all orders and numbers of threads. The median over the passes
// is reported.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/mark/line_reads.h"

namespace jackdaw::bench {

/// The user's options.
struct LimitOptions {
  std::vector<std::uint64_t> megabytes{200, 2000};  ///< sizes of memory, in 10^6 bytes
  std::uint32_t threads = 1;                        ///< the most; every power of two below is measured, too
  std::uint32_t repeat = 5;                         ///< passes
  std::uint64_t seed = 1;                           ///< of the random lines
};

/// The result of one setting.
struct LimitResult {
  std::uint64_t bytes = 0;
  PageKind pages = PageKind::small;
  std::uint64_t bytes_on_huge_pages = 0;
  ReadOrder order = ReadOrder::random;
  std::uint32_t threads = 1;  ///< that really ran
  std::vector<double> runs;   ///< ns per line of each pass: wall time ÷ lines that all threads read
  double ns_per_line = 0;     ///< their median

  [[nodiscard]] double gigabytes_per_second() const { return kLineBytes / ns_per_line; }
};

/// Measures every size with both kinds of pages, both orders, and 1 to `threads` threads. Throws InputError
/// when there is not as much memory.
std::vector<LimitResult> measure_limit(const LimitOptions& options);

}  // namespace jackdaw::bench
