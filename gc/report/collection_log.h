// CollectionLog: one line for each collection, for people and for scripts (docs/environment.md).
//
// Neither malloc nor a lock of stdio's is needed for it: a program that collects in an odd place can log,
// too.
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
  std::chrono::nanoseconds first_pause{0};  ///< in which the roots were found
  std::chrono::nanoseconds marking{0};      ///< until nothing was left to be marked but in the pause
  std::uint32_t stops = 0;                  ///< of the program in that time, but for the first pause
  std::chrono::nanoseconds longest_stop{0};
  std::uint32_t rounds = 0;         ///< of asking what was written, and marking from that
  std::uint64_t written_bytes = 0;  ///< of pages written since they were looked at, visited in the pause
};

/// How a line spells its fields.
enum class LogSpelling : std::uint8_t {
  words,  ///< name=value, for people
  json,   ///< an object with the same names
};

/// The contents of a line.
struct CollectionRecord {
  std::uint64_t number = 0;  ///< of the collection, from 1 on
  CollectionReason reason = CollectionReason::allocation;
  std::chrono::nanoseconds pause{0};    ///< from asking the threads to stop to letting them go on
  std::uint64_t used_bytes_before = 0;  ///< found live last time, or allocated since
  std::uint64_t live_bytes = 0;         ///< found live now
  std::uint64_t heap_bytes = 0;         ///< the heap's size, afterwards
  std::uint32_t mark_threads = 1;       ///< that visited an object, or at least one
  double steal_percent = 0;             ///< tasks got by stealing, of 100 executed
  std::uint32_t stopped_threads =
      0;  ///< besides the collecting one, and those that declared themselves blocked
  std::optional<ConcurrentRecord> concurrent = {};
  std::uint32_t markers = 1;       ///< threads that could have marked
  std::chrono::nanoseconds at{0};  ///< when it was written, since the log began
  std::uint32_t process = 0;       ///< its number
};

/// Threads that took part in marking, at least one.
std::uint32_t threads_that_marked(std::span<const mark::WorkerStatistics> workers);

/// The longest line, with its end.
inline constexpr std::size_t kLongestLogLine = 1024;

/// Formats the record as a line with its end, in `buffer`, alike in every locale. Does not allocate.
std::string_view format_record(const CollectionRecord& record, LogSpelling spelling,
                               std::span<char, kLongestLogLine> buffer);

/// Where the lines go. Any thread may write: a line is one system call.
class CollectionLog {
 public:
  /// Appends to the file at `path`, or writes to the error output when the path is empty, and when the file
  /// cannot be opened: then one line there says so.
  CollectionLog(const std::string& path, LogSpelling spelling);

  /// Fills in the time and the process. A line that the file does not take is lost, and one line on the error
  /// output says so of all: no program fails for its log, or waits for its reader.
  void write(CollectionRecord record);

 private:
  void tell_of_lost_line();

  base::OwnFile file_;
  bool has_file_;  // else the error output
  std::atomic<bool> has_lost_lines_{false};
  LogSpelling spelling_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace jackdaw::gc
