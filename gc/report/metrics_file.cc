#include "gc/report/metrics_file.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "base/path_pattern.h"
#include "base/warn.h"

namespace jackdaw::gc {

namespace {

// Writes the samples of one process, each with its type before it. All of them take less than the file's
// length.
class Exposition {
 public:
  Exposition(std::uint64_t process, std::span<char, kMetricsBytes> text) : process_(process), text_(text) {
    std::ranges::fill(text_, '\n');
  }

  void counter(std::string_view name, std::uint64_t value) { sample(name, "counter", value); }
  void gauge(std::string_view name, std::uint64_t value) { sample(name, "gauge", value); }
  void seconds_counter(std::string_view name, std::chrono::nanoseconds value) {
    begin(name, "counter");
    seconds(value);
  }
  void seconds_gauge(std::string_view name, std::chrono::nanoseconds value) {
    begin(name, "gauge");
    seconds(value);
  }

 private:
  void begin(std::string_view name, std::string_view type) {
    append("# TYPE jackdaw_");
    append(name);
    append(" ");
    append(type);
    append("\njackdaw_");
    append(name);
    append("{pid=\"");
    number(process_);
    append("\"} ");
  }
  void sample(std::string_view name, std::string_view type, std::uint64_t value) {
    begin(name, type);
    number(value);
    append("\n");
  }
  void seconds(std::chrono::nanoseconds value) {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    const auto all = static_cast<std::uint64_t>(value.count());
    number(all / kSecond);
    append(".");
    for (std::uint64_t rest = all % kSecond, digit = kSecond / 10; digit != 0; digit /= 10)
      number(rest / digit % 10);
    append("\n");
  }
  void append(std::string_view text) {
    std::ranges::copy(text, text_.subspan(length_).begin());
    length_ += text.size();
  }
  void number(std::uint64_t value) {
    char* const begin = text_.data() + length_;
    length_ += static_cast<std::size_t>(std::to_chars(begin, text_.data() + text_.size(), value).ptr - begin);
  }

  std::uint64_t process_;
  std::span<char, kMetricsBytes> text_;
  std::size_t length_ = 0;
};

}  // namespace

void format_metrics(const CollectorMetrics& metrics, std::uint64_t process,
                    std::span<char, kMetricsBytes> text) {
  Exposition exposition(process, text);
  exposition.counter("collections_total", metrics.collections);
  exposition.seconds_counter("pause_seconds_total", metrics.all_pauses);
  exposition.seconds_gauge("longest_pause_seconds", metrics.longest_pause);
  exposition.seconds_counter("processor_seconds_total", metrics.processor_time);
  exposition.counter("allocated_bytes_total", metrics.allocated_bytes);
  exposition.gauge("live_bytes", metrics.live_bytes);
  exposition.gauge("heap_bytes", metrics.heap_bytes);
  exposition.gauge("free_bytes", metrics.free_bytes);
  exposition.gauge("given_back_bytes", metrics.given_back_bytes);
}

MetricsFile::MetricsFile(const std::string& path) : path_(path) { open(); }

void MetricsFile::open() {
  const std::string path = base::expand_path(path_);
  is_open_ = file_.open(path, base::OwnFile::Contents::replaced, base::OwnFile::Readers::all);
  if (is_open_) return write({});
  const std::string reason(base::OwnFile::reason_of(errno));
  base::warn("the metrics file '" + path + "' cannot be written (" + reason + ")");
}

void MetricsFile::write(const CollectorMetrics& metrics) {
  if (!is_open_) return;
  std::array<char, kMetricsBytes> text;
  format_metrics(metrics, static_cast<std::uint64_t>(getpid()), text);
  if (file_.write_at(0, std::as_bytes(std::span(text)))) return;
  is_open_ = false;
  base::warn("the metrics file takes no more, or the program has closed its number: it is no longer written");
}

void MetricsFile::after_fork_in_child() {
  if (!is_open_) return;
  file_.close();
  is_open_ = false;
  if (base::expand_path(path_) != path_) open();
}

}  // namespace jackdaw::gc
