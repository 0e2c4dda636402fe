#include "tools/command/memory_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "machine/memory_limits.h"

namespace jackdaw::tools {

namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

}  // namespace

std::uint64_t available_memory_bytes(const machine::KernelFolders& folders) {
  std::uint64_t least = kUnlimited;
  machine::MemoryLimits(folders).for_each(
      machine::Left::at_ease, [&](const machine::MemoryRoom& room) { least = std::min(least, room.left); });
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
