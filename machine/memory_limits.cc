#include "machine/memory_limits.h"

#include <algorithm>
#include <limits>

#include "base/page_memory.h"

namespace jackdaw::machine {

namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kKibibyte = 1024;

// These files have the figures in each version of control groups. In version 1 those of swap space include
// memory, and there is no limit from which on the kernel slows the group down.
struct Names {
  const char* limit;
  const char* slow;
  const char* usage;
  std::string_view inactive;
  std::string_view active;
  const char* swap_limit;
  const char* swap_usage;
};
constexpr Names kVersion2{"/memory.max",  "/memory.high",     "/memory.current",     "inactive_file ",
                          "active_file ", "/memory.swap.max", "/memory.swap.current"};
constexpr Names kVersion1{"/memory.limit_in_bytes",      nullptr,
                          "/memory.usage_in_bytes",      "total_inactive_file ",
                          "total_active_file ",          "/memory.memsw.limit_in_bytes",
                          "/memory.memsw.usage_in_bytes"};
constexpr const Names& names_of(const ControlGroup& group) {
  return group.is_version_2 ? kVersion2 : kVersion1;
}

constexpr std::uint64_t difference(std::uint64_t from, std::uint64_t what) {
  return from - std::min(from, what);
}

// Returns the number of the line that begins with `key`.
std::optional<std::uint64_t> number_after(std::string_view key, std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view line = lines.substr(0, end);
    if (line.starts_with(key)) {
      line.remove_prefix(key.size());
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      return number_at_front(line);
    }
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return std::nullopt;
}

}  // namespace

MemoryLimits::MemoryLimits(const KernelFolders& folders, const MemoryShare& share)
    : share_(share), proc_(folders.proc), groups_(control_groups("memory", folders)) {
  constexpr std::size_t kLongestFile = 64;
  std::size_t longest = proc_.size();
  for (const ControlGroup& group : groups_) longest = std::max(longest, group.folder.size());
  path_.reserve(longest + kLongestFile);
}

MemoryRoom MemoryLimits::part_of(const MemoryRoom& room) const {
  const std::uint64_t kept = room.limit / 100 * (100 - share_.percent);
  return {.limit = room.limit - kept, .left = difference(room.left, kept)};
}

std::optional<MemoryRoom> MemoryLimits::of_process() {
  if (share_.process_bytes == kUnlimited) return std::nullopt;
  std::string_view pages = contents(proc_, "/thread-self/statm");
  pages.remove_prefix(std::min(pages.find(' '), pages.size()));  // the number of pages with addresses
  pages.remove_prefix(std::min<std::size_t>(1, pages.size()));
  const std::uint64_t resident = number_at_front(pages).value_or(0) * base::page_bytes();
  return MemoryRoom{.limit = share_.process_bytes, .left = difference(share_.process_bytes, resident)};
}

std::optional<MemoryRoom> MemoryLimits::of_machine(Left left) {
  const std::string_view lines = contents(proc_, "/meminfo");
  const auto total = number_after("MemTotal:", lines);
  const auto available = number_after("MemAvailable:", lines);
  if (!total || !available) return std::nullopt;
  free_swap_ = left == Left::at_last ? number_after("SwapFree:", lines).value_or(0) * kKibibyte : 0;
  return MemoryRoom{.limit = *total * kKibibyte + free_swap_, .left = *available * kKibibyte + free_swap_};
}

std::optional<MemoryRoom> MemoryLimits::of_group(const ControlGroup& group, Left left) {
  const Names& names = names_of(group);
  std::uint64_t limit = number_in(group, names.limit).value_or(kUnlimited);
  if (left == Left::at_ease && names.slow != nullptr)
    limit = std::min(limit, number_in(group, names.slow).value_or(kUnlimited));
  if (limit == kUnlimited) return std::nullopt;
  const auto usage = number_in(group, names.usage);
  if (!usage) return std::nullopt;
  MemoryRoom room{.limit = limit, .left = difference(limit, difference(*usage, file_cache(group, left)))};
  if (free_swap_ != 0) {
    const std::uint64_t swap = swap_space(group, difference(limit, *usage));
    room.limit += swap;
    room.left += swap;
  }
  return room;
}

std::uint64_t MemoryLimits::file_cache(const ControlGroup& group, Left left) {
  const std::string_view lines = contents(group.folder, "/memory.stat");
  const Names& names = names_of(group);
  return number_after(names.inactive, lines).value_or(0) +
         (left == Left::at_last ? number_after(names.active, lines).value_or(0) : 0);
}

// Returns the swap space that the group may still take, where it may take `without_swap` bytes without.
std::uint64_t MemoryLimits::swap_space(const ControlGroup& group, std::uint64_t without_swap) {
  const Names& names = names_of(group);
  const auto limit = number_in(group, names.swap_limit);
  const auto usage = number_in(group, names.swap_usage);
  if (!limit || !usage) return free_swap_;
  const std::uint64_t left = difference(*limit, *usage);
  return std::min(free_swap_, group.is_version_2 ? left : difference(left, without_swap));
}

std::string_view MemoryLimits::contents(const std::string& folder, const char* file) {
  path_.assign(folder).append(file);
  return read_kernel_file(path_, buffer_).value_or(std::string_view());
}

std::optional<std::uint64_t> MemoryLimits::number_in(const ControlGroup& group, const char* file) {
  return number_at_front(contents(group.folder, file));
}

}  // namespace jackdaw::machine
