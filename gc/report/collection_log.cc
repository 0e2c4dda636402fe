#include "gc/report/collection_log.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "base/quiet_write.h"
#include "base/warn.h"

namespace jackdaw::gc {

namespace {

// Writes a line field by field, without malloc and the locale. No number has more than 21 characters, so a
// line always fits.
class LineWriter {
 public:
  LineWriter(LogSpelling spelling, std::span<char, kLongestLogLine> buffer)
      : is_json_(spelling == LogSpelling::json), buffer_(buffer) {
    append(is_json_ ? "{" : "jackdaw:");
  }

  void number(std::string_view name, std::uint64_t value) {
    begin(name);
    append_number(value);
  }
  // Writes a number rounded to thousandths, without the mathematical library, which nothing else here needs.
  void fraction(std::string_view name, double value) {
    const std::uint64_t thousandths = (static_cast<std::uint64_t>(value * 2000) + 1) / 2;
    begin(name);
    append_number(thousandths / 1000);
    const std::uint64_t rest = thousandths % 1000;
    append(rest < 10 ? ".00" : rest < 100 ? ".0" : ".");
    append_number(rest);
  }
  void milliseconds(std::string_view name, std::chrono::nanoseconds value) {
    fraction(name, std::chrono::duration<double, std::milli>(value).count());
  }
  void mib(std::string_view name, std::uint64_t bytes) {
    fraction(name, static_cast<double>(bytes) / (1U << 20));
  }
  void word(std::string_view name, std::string_view value) {
    begin(name);
    if (is_json_) append("\"");
    append(value);
    if (is_json_) append("\"");
  }
  std::string_view finish() {
    append(is_json_ ? "}\n" : "\n");
    return {buffer_.data(), length_};
  }

 private:
  void begin(std::string_view name) {
    append(!is_json_ ? " " : length_ == 1 ? "\"" : ",\"");
    append(name);
    append(is_json_ ? "\":" : "=");
  }
  void append(std::string_view text) {
    std::copy(text.begin(), text.end(), buffer_.subspan(length_).begin());
    length_ += text.size();
  }
  void append_number(std::uint64_t number) {
    char* const start = buffer_.data() + length_;
    length_ +=
        static_cast<std::size_t>(std::to_chars(start, buffer_.data() + buffer_.size(), number).ptr - start);
  }

  bool is_json_;
  std::span<char, kLongestLogLine> buffer_;
  std::size_t length_ = 0;
};

void write_concurrent(const ConcurrentRecord& record, LineWriter& line) {
  line.milliseconds("first_pause_ms", record.first_pause);
  line.milliseconds("concurrent_ms", record.marking);
  line.number("stops", record.stops);
  line.milliseconds("longest_stop_ms", record.longest_stop);
  line.number("rounds", record.rounds);
  line.mib("written_mib", record.written_bytes);
}

}  // namespace

std::uint32_t threads_that_marked(std::span<const mark::WorkerStatistics> workers) {
  const auto marked = std::count_if(workers.begin(), workers.end(), [](const mark::WorkerStatistics& worker) {
    return worker.tasks_executed != 0;
  });
  return std::max(static_cast<std::uint32_t>(marked), 1U);
}

std::string_view format_record(const CollectionRecord& record, LogSpelling spelling,
                               std::span<char, kLongestLogLine> buffer) {
  LineWriter line(spelling, buffer);
  line.number("collection", record.number);
  line.word("reason", name_of(record.reason));
  line.milliseconds("pause_ms", record.pause);
  line.mib("before_mib", record.used_bytes_before);
  line.mib("live_mib", record.live_bytes);
  line.mib("heap_mib", record.heap_bytes);
  line.number("mark_threads", record.mark_threads);
  line.fraction("stolen_percent", record.steal_percent);
  line.number("stopped_threads", record.stopped_threads);
  if (record.concurrent) write_concurrent(*record.concurrent, line);
  line.number("markers", record.markers);
  line.milliseconds("at_ms", record.at);
  line.number("pid", record.process);
  line.mib("free_mib", record.free_bytes);
  line.mib("given_back_mib", record.given_back_bytes);
  line.milliseconds("processor_ms", record.processor_time);
  return line.finish();
}

CollectionLog::CollectionLog(const std::string& path, LogSpelling spelling)
    : has_file_(!path.empty() && file_.open(path, base::OwnFile::Contents::kept)), spelling_(spelling) {
  if (has_file_ || path.empty()) return;
  const std::string reason(base::OwnFile::reason_of(errno));
  base::warn("cannot open the log file '" + path + "' (" + reason + "); logging to the error output");
}

void CollectionLog::write(CollectionRecord record) {
  record.at = std::chrono::steady_clock::now() - begun_;
  record.process = static_cast<std::uint32_t>(getpid());
  std::array<char, kLongestLogLine> buffer;
  const std::string_view line = format_record(record, spelling_, buffer);
  if (!has_file_) {
    base::write_quietly(line.size(), [line] { return ::write(STDERR_FILENO, line.data(), line.size()); });
  } else if (!file_.write(std::as_bytes(std::span(line)))) {
    tell_of_lost_line();
  }
}

void CollectionLog::tell_of_lost_line() {
  // Relaxed: it publishes nothing.
  if (has_lost_lines_.exchange(true, std::memory_order_relaxed)) return;
  base::warn("lines of the log are lost: its file takes no more, or the program has closed its number");
}

}  // namespace jackdaw::gc
