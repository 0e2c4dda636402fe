#include "gc/report/trace/trace_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <span>
#include <utility>

#include "base/warn.h"

namespace jackdaw::gc {

namespace {

constexpr std::string_view kBegin = "[";
constexpr std::string_view kEnd = "\n]";

}  // namespace

void TraceFile::open(const std::string& path) {
  close();
  is_open_ = file_.open(path, base::OwnFile::Contents::replaced);
  if (!is_open_) {
    const std::string reason(base::OwnFile::reason_of(errno));
    return base::warn("the trace '" + path + "' cannot be written (" + reason + ")");
  }
  process_ = getpid();
  offset_ = 0;
  size_ = 0;
  has_events_ = false;
  text(kBegin);
}

void TraceFile::close() {
  file_.close();
  is_open_ = false;
}

TraceFile& TraceFile::event(char kind, std::string_view name) {
  end_event();
  if (buffer_.size() - size_ < kLongestEvent) write_out(0);
  text(std::exchange(has_events_, true) ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
  text({&kind, 1});
  text("\",\"pid\":");
  number(static_cast<std::uint64_t>(process_));
  text(",\"name\":");
  quoted(name);
  is_in_event_ = true;
  return *this;
}

TraceFile& TraceFile::thread(std::uint32_t thread) {
  text(",\"tid\":");
  number(thread);
  return *this;
}

TraceFile& TraceFile::at(Time time) {
  text(",\"ts\":");
  microseconds(time.time_since_epoch());
  return *this;
}

TraceFile& TraceFile::lasting(std::chrono::nanoseconds duration) {
  constexpr std::chrono::nanoseconds kLess{1};
  text(",\"dur\":");
  microseconds(std::max(duration, kLess) - kLess);
  return *this;
}

TraceFile& TraceFile::argument(std::string_view name, std::uint64_t value) {
  begin_argument(name);
  number(value);
  return *this;
}

TraceFile& TraceFile::argument(std::string_view name, std::string_view value) {
  begin_argument(name);
  quoted(value);
  return *this;
}

void TraceFile::begin_argument(std::string_view name) {
  text(std::exchange(has_arguments_, true) ? "," : ",\"args\":{");
  quoted(name);
  text(":");
}

void TraceFile::end_event() {
  if (!std::exchange(is_in_event_, false)) return;
  text(std::exchange(has_arguments_, false) ? "}}" : "}");
}

void TraceFile::flush() {
  end_event();
  text(kEnd);
  write_out(kEnd.size());
}

// Events that stay in the buffer are written again with later ones.
void TraceFile::write_out(std::size_t bytes_that_stay) {
  if (is_open_ && !file_.write_at(offset_, std::as_bytes(std::span(buffer_).first(size_)))) {
    const std::string reason(base::OwnFile::reason_of(errno));
    base::warn("the trace ends here: it cannot be written (" + reason + ")");
    close();
  }
  offset_ += static_cast<off_t>(size_ - bytes_that_stay);
  size_ = 0;
}

void TraceFile::text(std::string_view text) {
  std::ranges::copy(text, buffer_.data() + size_);
  size_ += text.size();
}

// Writes a string, with a question mark in place of each character that needs an escape.
void TraceFile::quoted(std::string_view text) {
  constexpr std::size_t kMost = 64;
  this->text("\"");
  for (const char character : text.substr(0, kMost)) {
    const bool is_plain = character >= ' ' && character <= '~' && character != '"' && character != '\\';
    buffer_[size_++] = is_plain ? character : '?';
  }
  this->text("\"");
}

void TraceFile::number(std::uint64_t value) {
  char* const begin = buffer_.data() + size_;
  size_ += static_cast<std::size_t>(std::to_chars(begin, begin + 20, value).ptr - begin);
}

// Writes three decimals, as the format's unit is the microsecond.
void TraceFile::microseconds(std::chrono::nanoseconds time) {
  const auto all = static_cast<std::uint64_t>(time.count());
  number(all / 1000);
  text(".");
  for (std::uint64_t unit = 100; unit != 0; unit /= 10) number(all / unit % 10);
}

}  // namespace jackdaw::gc
