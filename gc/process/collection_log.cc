#include "gc/process/collection_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "gc/process/tell_on_stderr.h"

namespace jackdaw::gc {

namespace {

// The error output when there is no such file, or it cannot be had.
int open_log(const std::string& path) {
  if (path.empty()) return STDERR_FILENO;
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor >= 0) return descriptor;
  const int error = errno;
  tell_on_stderr("cannot open the log file '" + path + "' (" + std::strerror(error) +
                 "); logging to the error output");
  return STDERR_FILENO;
}

// A number of thousandths, rounded, in two parts: how the decimal point looks is the locale's business, not
// that of a line to be read by scripts. Rounded by hand: nothing else here needs the mathematical library.
struct Thousandths {
  explicit Thousandths(double value) : all((static_cast<unsigned long long>(value * 2000) + 1) / 2) {}
  [[nodiscard]] unsigned long long whole() const { return all / 1000; }
  [[nodiscard]] unsigned long long rest() const { return all % 1000; }

  unsigned long long all;
};

Thousandths mib(std::uint64_t bytes) { return Thousandths(static_cast<double>(bytes) / (1U << 20)); }

}  // namespace

std::uint32_t threads_that_marked(std::span<const mark::WorkerStatistics> workers) {
  const auto marked = std::count_if(workers.begin(), workers.end(), [](const mark::WorkerStatistics& worker) {
    return worker.tasks_executed != 0;
  });
  return std::max(static_cast<std::uint32_t>(marked), 1U);
}

// A duration in milliseconds.
Thousandths milliseconds(std::chrono::nanoseconds duration) {
  return Thousandths(std::chrono::duration<double, std::milli>(duration).count());
}

// How many characters it wrote.
std::size_t format_concurrent(const ConcurrentRecord& record, std::span<char> buffer) {
  const Thousandths first = milliseconds(record.first_pause);
  const Thousandths marking = milliseconds(record.marking);
  const Thousandths stop = milliseconds(record.longest_stop);
  const Thousandths written = mib(record.written_bytes);
  const int length = std::snprintf(
      buffer.data(), buffer.size(),
      " first_pause_ms=%llu.%03llu concurrent_ms=%llu.%03llu stops=%u longest_stop_ms=%llu.%03llu "
      "rounds=%u written_mib=%llu.%03llu",
      first.whole(), first.rest(), marking.whole(), marking.rest(), record.stops, stop.whole(), stop.rest(),
      record.rounds, written.whole(), written.rest());
  return static_cast<std::size_t>(length);
}

std::string_view format_record(const CollectionRecord& record, std::span<char, kLongestLogLine> buffer) {
  const Thousandths pause = milliseconds(record.pause);
  const Thousandths before = mib(record.used_bytes_before);
  const Thousandths live = mib(record.live_bytes);
  const Thousandths heap = mib(record.heap_bytes);
  const Thousandths stolen(record.steal_percent);
  const int length = std::snprintf(
      buffer.data(), buffer.size(),
      "jackdaw: collection=%llu reason=%s pause_ms=%llu.%03llu before_mib=%llu.%03llu live_mib=%llu.%03llu "
      "heap_mib=%llu.%03llu mark_threads=%u stolen_percent=%llu.%03llu stopped_threads=%u",
      static_cast<unsigned long long>(record.number), name_of(record.reason).data(), pause.whole(),
      pause.rest(), before.whole(), before.rest(), live.whole(), live.rest(), heap.whole(), heap.rest(),
      record.mark_threads, stolen.whole(), stolen.rest(), record.stopped_threads);
  auto end = static_cast<std::size_t>(length);
  if (record.concurrent) end += format_concurrent(*record.concurrent, buffer.subspan(end));
  buffer[end++] = '\n';
  return {buffer.data(), end};
}

CollectionLog::CollectionLog(const std::string& path) : descriptor_(open_log(path)) {}

CollectionLog::~CollectionLog() {
  if (descriptor_ != STDERR_FILENO) close(descriptor_);
}

void CollectionLog::write(const CollectionRecord& record) const {
  std::array<char, kLongestLogLine> buffer;
  const std::string_view line = format_record(record, buffer);
  if (::write(descriptor_, line.data(), line.size()) < 0) return;
}

}  // namespace jackdaw::gc
