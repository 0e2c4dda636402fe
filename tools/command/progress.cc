#include "tools/command/progress.h"

#include <fmt/format.h>

#include "tools/command/printable_name.h"

namespace jackdaw::tools {

namespace {

constexpr std::chrono::seconds kPatience{2};
constexpr std::chrono::milliseconds kRedrawInterval{100};
constexpr std::string_view kEraseLine = "\r\033[K";
const std::chrono::steady_clock::time_point kStart = std::chrono::steady_clock::now();

}  // namespace

std::chrono::steady_clock::time_point ProgressOutput::start_of_command() { return kStart; }

Progress::Progress(std::string_view what, const ProgressOutput& output)
    : what_(printable(what)),
      descriptor_(output.descriptor),
      interactive_(output.interactive),
      now_(output.now),
      next_draw_(output.since + kPatience) {
  step(0, 0);
}

Progress::~Progress() {
  if (drawn_) write_out(kEraseLine);
}

bool Progress::look_at_clock() {
  const auto now = now_();
  if (now <= next_draw_) return false;
  next_draw_ = now + kRedrawInterval;
  return true;
}

void Progress::draw(std::uint64_t done, std::uint64_t total) {
  if (!interactive_) return;
  drawn_ = true;
  if (total == 0) {
    write_out(fmt::format("{}{} ...", kEraseLine, what_));
    return;
  }
  const double percent = 100.0 * static_cast<double>(done) / static_cast<double>(total);
  write_out(fmt::format("{}{}: {:.0f} %", kEraseLine, what_, percent));
}

void Progress::write_out(std::string_view text) const {
  // A progress line that cannot be written is no reason to stop the work.
  [[maybe_unused]] const ssize_t written = write(descriptor_, text.data(), text.size());
}

}  // namespace jackdaw::tools
