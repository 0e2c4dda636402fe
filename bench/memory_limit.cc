#include "bench/memory_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

#include "bench/graph/saturating.h"

namespace jackdaw::bench {

namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// What the two versions of control groups call the same figures.
struct MemoryFileNames {
  const char* limit;
  const char* usage;
  const char* droppable;  ///< the key in memory.stat of file pages that can be dropped at once
};
constexpr MemoryFileNames kVersion2{"memory.max", "memory.current", "inactive_file"};
constexpr MemoryFileNames kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};

/// The only number in a file, or nothing where there is no such file or it says "max".
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

/// The number that follows `key` in a file of lines "key number".
std::optional<std::uint64_t> number_after(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ' ') continue;
    return std::strtoull(line.c_str() + key.size(), nullptr, 10);
  }
  return std::nullopt;
}

/// What one control group's folder leaves to its members.
std::uint64_t headroom_in(const std::string& folder, const MemoryFileNames& names) {
  const auto limit = number_in(folder + "/" + names.limit);
  const auto usage = number_in(folder + "/" + names.usage);
  if (!limit || !usage) return kUnlimited;
  const std::uint64_t droppable = number_after(folder + "/memory.stat", names.droppable).value_or(0);
  const std::uint64_t pinned = *usage - std::min(*usage, droppable);
  return *limit - std::min(*limit, pinned);
}

/// The least headroom of the group at `path` below `mount` and of its ancestors. Inside a container the path
/// may be the host's and lead nowhere; the ancestors that do exist still count.
std::uint64_t headroom_up_from(const std::string& mount, std::string path, const MemoryFileNames& names) {
  std::uint64_t least = kUnlimited;
  while (true) {
    least = std::min(least, headroom_in(mount + path, names));
    if (path.empty()) return least;
    path.resize(std::min(path.size() - 1, path.rfind('/')));
  }
}

bool names_memory_controller(std::string_view controllers) {
  while (!controllers.empty()) {
    const std::size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == "memory") return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

/// The headroom by one line of /proc/self/cgroup: "hierarchy:controllers:path".
std::uint64_t headroom_by_line(const std::string& line, const std::string& cgroup) {
  const std::size_t first = line.find(':');
  const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
  if (second == std::string::npos) return kUnlimited;
  const std::string path = line.substr(second + 1);
  if (line.starts_with("0::")) return headroom_up_from(cgroup, path, kVersion2);
  const auto controllers = std::string_view(line).substr(first + 1, second - first - 1);
  if (names_memory_controller(controllers)) return headroom_up_from(cgroup + "/memory", path, kVersion1);
  return kUnlimited;
}

}  // namespace

std::uint64_t available_memory_bytes(const KernelFolders& folders) {
  std::uint64_t least = kUnlimited;
  if (const auto kibibytes = number_after(folders.proc + "/meminfo", "MemAvailable:")) {
    least = saturating_multiply(*kibibytes, 1024);
  }
  std::ifstream groups(folders.proc + "/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) least = std::min(least, headroom_by_line(line, folders.cgroup));
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

}  // namespace jackdaw::bench
