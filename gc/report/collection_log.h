// CollectionLog: one line for each collection, for people and for scripts (docs/environment.md).
//
// It needs neither malloc nor stdio's locks, so a program can log wherever it collects.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/own_file.h"
#include "gc/report/collection_reason.h"
#include "mark/statistics.h"

namespace jackdaw::gc {

/// The part of a cycle before its last pause.
struct ConcurrentRecord {
  std::chrono::nanoseconds first_pause{0};  ///< the pause in which the roots were found
  std::chrono::nanoseconds marking{0};      ///< until only the last pause's marking was left
  std::uint32_t stops = 0;                  ///< of the program in that time, without the first pause
  std::chrono::nanoseconds longest_stop{0};
  std::uint32_t rounds = 0;         ///< passes over dirty pages
  std::uint64_t written_bytes = 0;  ///< on dirty pages that the last pause visited
};

/// The format of a line.
enum class LogSpelling : std::uint8_t {
  words,  ///< name=value, for people
  json,   ///< an object with the same names
};

/// The contents of a line.
struct CollectionRecord {
  std::uint64_t number = 0;  ///< from 1 on
  CollectionReason reason = CollectionReason::allocation;
  std::chrono::nanoseconds pause{0};    ///< from asking the threads to stop to resuming them
  std::uint64_t used_bytes_before = 0;  ///< live after the last collection, or allocated since
  std::uint64_t live_bytes = 0;         ///< found live now
  std::uint64_t heap_bytes = 0;         ///< the heap's size after the collection
  std::uint32_t mark_threads = 1;       ///< those that visited an object, at least one
  double steal_percent = 0;             ///< tasks got by stealing, of 100 executed
  std::uint32_t stopped_threads =
      0;  ///< besides the collecting one, and those that declared themselves blocked
  std::optional<ConcurrentRecord> concurrent = {};
  std::uint32_t markers = 1;                   ///< threads that could have marked
  std::chrono::nanoseconds at{0};              ///< when it was written, since the log began
  std::uint32_t process = 0;                   ///< the process's number
  std::uint64_t free_bytes = 0;                ///< of heap_bytes: in blocks without objects
  std::uint64_t given_back_bytes = 0;          ///< of blocks without objects whose memory the system has back
  std::chrono::nanoseconds processor_time{0};  ///< the collector's since the line before
};

/// Returns the number of threads that took part in marking, at least one.
std::uint32_t threads_that_marked(std::span<const mark::WorkerStatistics> workers);

/// The longest line, with its end.
inline constexpr std::size_t kLongestLogLine = 1024;

/// Formats the record as a line with its end, in `buffer`, in the same way in every locale. Does not
/// allocate.
std::string_view format_record(const CollectionRecord& record, LogSpelling spelling,
                               std::span<char, kLongestLogLine> buffer);

/// The destination of the lines. Any thread may write: a line is one system call.
class CollectionLog {
 public:
  /// Appends to the file at `path`, or writes to the error output when the path is empty, or when the file
  /// cannot be opened, which one line there reports.
  CollectionLog(const std::string& path, LogSpelling spelling);

  /// Writes a line, with the time and the process filled in. Lines that the file does not take are lost,
  /// which one line on the error output reports: no program fails, or waits for a reader, because of its log.
  void write(CollectionRecord record);

 private:
  void tell_of_lost_line();

  base::OwnFile file_;
  bool has_file_;  // false: the error output
  std::atomic<bool> has_lost_lines_{false};
  LogSpelling spelling_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace jackdaw::gc
