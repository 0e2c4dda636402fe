// TraceFile: a file in Chrome's trace event format: a JSON array of events, which Perfetto reads.
//
// Source: "Trace Event Format", the Chromium project's description of it.
//
// Between two writes the file is a complete array, whose end the next write replaces. So nothing has to be
// done when the program ends, in whatever way.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/own_file.h"

namespace jackdaw::gc {

/// One thread at a time. Only open(), and the line about a failure, allocate.
class TraceFile {
 public:
  using Time = std::chrono::steady_clock::time_point;

  TraceFile() = default;
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// Creates the file, in place of an existing one. When it cannot be written, or another process writes it,
  /// one line on the error output says so, and added events are lost.
  void open(const std::string& path);
  void close();

  /// Begins an event: `kind` is its "ph". The functions after it add to the last that was begun.
  TraceFile& event(char kind, std::string_view name);
  TraceFile& thread(std::uint32_t thread);
  TraceFile& at(Time time);
  /// Sets the duration, shortened by a nanosecond, so that after rounding an event does not end after the
  /// next has begun.
  TraceFile& lasting(std::chrono::nanoseconds duration);
  /// Adds a member of the event's "args", which come last.
  TraceFile& argument(std::string_view name, std::uint64_t value);
  TraceFile& argument(std::string_view name, std::string_view value);
  /// Writes the added events. A failure gives one line, once; nothing is written after it.
  void flush();

 private:
  static constexpr std::size_t kLongestEvent = 512;

  void end_event();
  void begin_argument(std::string_view name);
  void text(std::string_view text);
  void quoted(std::string_view text);
  void number(std::uint64_t value);
  void microseconds(std::chrono::nanoseconds time);
  void write_out(std::size_t bytes_that_stay);

  base::OwnFile file_;
  bool is_open_ = false;
  pid_t process_ = 0;
  off_t offset_ = 0;  // of the first byte in the buffer
  bool has_events_ = false;
  bool has_arguments_ = false;  // of the last event
  bool is_in_event_ = false;
  std::size_t size_ = 0;
  std::array<char, std::size_t{1} << 16> buffer_;
};

}  // namespace jackdaw::gc
