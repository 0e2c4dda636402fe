#include "tools/command/memory_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

#include "tools/command/saturating.h"

namespace jackdaw::tools {

namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// The names of the same figures in the two versions of control groups.
struct MemoryFileNames {
  const char* limit;
  const char* usage;
  const char* droppable;  ///< the key in memory.stat of file pages that can be dropped at once
};
constexpr MemoryFileNames kVersion2{"memory.max", "memory.current", "inactive_file"};
constexpr MemoryFileNames kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};

/// Returns the only number in a file, or nothing where there is no such file or it says "max".
std::optional<std::uint64_t> number_in(const std::string& path) {
  return machine::number_at_front(machine::read_kernel_file(path).value_or(""));
}

/// Returns the number that follows `key` in a file of lines "key number".
std::optional<std::uint64_t> number_after(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ' ') continue;
    return std::strtoull(line.c_str() + key.size(), nullptr, 10);
  }
  return std::nullopt;
}

/// Returns the memory that one control group leaves to its members.
std::uint64_t headroom_in(const machine::ControlGroup& group) {
  const MemoryFileNames& names = group.is_version_2 ? kVersion2 : kVersion1;
  const auto limit = number_in(group.folder + "/" + names.limit);
  const auto usage = number_in(group.folder + "/" + names.usage);
  if (!limit || !usage) return kUnlimited;
  const std::uint64_t droppable = number_after(group.folder + "/memory.stat", names.droppable).value_or(0);
  const std::uint64_t pinned = *usage - std::min(*usage, droppable);
  return *limit - std::min(*limit, pinned);
}

}  // namespace

std::uint64_t available_memory_bytes(const machine::KernelFolders& folders) {
  std::uint64_t least = kUnlimited;
  if (const auto kibibytes = number_after(folders.proc + "/meminfo", "MemAvailable:")) {
    least = saturating_multiply(*kibibytes, 1024);
  }
  for (const machine::ControlGroup& group : machine::control_groups("memory", folders))
    least = std::min(least, headroom_in(group));
  return least;
}

std::string describe_bytes(std::uint64_t bytes) {
  if (bytes == kUnlimited) return "more than 16 EiB";
  if (bytes < 1024) return fmt::format("{} B", bytes);
  constexpr std::array<const char*, 6> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.95 would be printed as 1024.0 of the smaller unit.
  while (amount >= 1023.95 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

}  // namespace jackdaw::tools
