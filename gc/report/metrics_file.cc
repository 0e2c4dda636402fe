#include "gc/report/metrics_file.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/line_text.h"
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
    seconds(name, "counter", value);
  }
  void seconds_gauge(std::string_view name, std::chrono::nanoseconds value) { seconds(name, "gauge", value); }

 private:
  base::LineText begin(std::string_view name, std::string_view type) const {
    base::LineText text;
    text << "# TYPE jackdaw_" << name << " " << type << "\njackdaw_" << name << "{pid=\"" << process_
         << "\"} ";
    return text;
  }
  void sample(std::string_view name, std::string_view type, std::uint64_t value) {
    base::LineText text = begin(name, type);
    text << value;
    append(text);
  }
  void seconds(std::string_view name, std::string_view type, std::chrono::nanoseconds value) {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    const auto all = static_cast<std::uint64_t>(value.count());
    base::LineText text = begin(name, type);
    text << all / kSecond << ".";
    for (std::uint64_t digit = kSecond / 10; digit != 0; digit /= 10) text << all / digit % 10;
    append(text);
  }
  void append(base::LineText& sample) {
    sample << "\n";
    std::ranges::copy(sample.text(), text_.subspan(length_).begin());
    length_ += sample.text().size();
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
