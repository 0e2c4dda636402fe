#include "machine/memory_pressure.h"

#include <cstdint>
#include <string_view>
#include <utility>

namespace jackdaw::machine {

namespace {

// Returns the total of the file's line of times in which at least one thread waits:
// "some avg10=0.00 avg60=0.00 avg300=0.00 total=123456".
std::optional<std::chrono::microseconds> total_of_some(std::string_view lines) {
  constexpr std::string_view kTotal = " total=";
  const std::string_view line = lines.substr(0, lines.find('\n'));
  const std::size_t total = line.find(kTotal);
  if (!line.starts_with("some ") || total == std::string_view::npos) return std::nullopt;
  const auto microseconds = number_at_front(line.substr(total + kTotal.size()));
  if (!microseconds) return std::nullopt;
  return std::chrono::microseconds(*microseconds);
}

}  // namespace

MemoryPressure::MemoryPressure(const KernelFolders& folders) {
  const auto is_there = [this](std::string path) {
    path_ = std::move(path);
    return stalled().has_value();
  };
  for (const ControlGroup& group : control_groups("memory", folders)) {
    if (group.is_version_2 && is_there(group.folder + "/memory.pressure")) return;
  }
  if (!is_there(folders.proc + "/pressure/memory")) path_.clear();
}

std::optional<std::chrono::microseconds> MemoryPressure::stalled() {
  if (path_.empty()) return std::nullopt;
  const auto contents = read_kernel_file(path_, buffer_);
  return contents ? total_of_some(*contents) : std::nullopt;
}

}  // namespace jackdaw::machine
