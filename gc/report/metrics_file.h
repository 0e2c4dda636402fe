// MetricsFile: what the collector has done so far, in a file that Prometheus's node_exporter collects.
//
// Source: Prometheus's text exposition format, version 0.0.4.
//
// The file has one length, and each write replaces all of it by one system call, so that readers find it
// whole and nothing has to be done when the program ends.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/own_file.h"

namespace jackdaw::gc {

/// The figures of a process, of all collections so far.
struct CollectorMetrics {
  std::uint64_t collections = 0;
  std::chrono::nanoseconds all_pauses{0};
  std::chrono::nanoseconds longest_pause{0};
  std::chrono::nanoseconds processor_time{0};  ///< the collector's
  std::uint64_t allocated_bytes = 0;
  std::uint64_t live_bytes = 0;        ///< that the last collection found
  std::uint64_t heap_bytes = 0;        ///< the heap's size
  std::uint64_t free_bytes = 0;        ///< of heap_bytes: in blocks without objects
  std::uint64_t given_back_bytes = 0;  ///< of blocks without objects whose memory the system has back
};

/// The length of the file.
inline constexpr std::size_t kMetricsBytes = 3072;

/// Formats the metrics, with empty lines behind them, in the same way in every locale. Does not allocate.
/// `process`: the number by which they are told from others'.
void format_metrics(const CollectorMetrics& metrics, std::uint64_t process,
                    std::span<char, kMetricsBytes> text);

/// One thread at a time.
class MetricsFile {
 public:
  /// Creates the file at `path`, where %p becomes the process's number, in place of an existing one. When it
  /// cannot be written, or another process writes it, one line on the error output says so.
  explicit MetricsFile(const std::string& path);

  /// Replaces the file's contents. Does not allocate.
  void write(const CollectorMetrics& metrics);
  /// A child of a fork has a file of its own if the path has the process's number, and else none.
  void after_fork_in_child();

 private:
  void open();

  std::string path_;
  base::OwnFile file_;
  bool is_open_ = false;
};

}  // namespace jackdaw::gc
