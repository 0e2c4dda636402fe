#include "machine/usable_processors.h"

#include <sched.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace jackdaw::machine {

namespace {

// A limit of processor time: the microseconds that a group may use in each period. Version 2 has both in one
// file, "max 100000" or "250000 100000"; version 1 has a file for each, with -1 for no limit.
struct Quota {
  std::optional<std::uint64_t> time;
  std::optional<std::uint64_t> period;
};

Quota quota_of(const ControlGroup& group) {
  const auto number_in = [&](const char* file) {
    return number_at_front(read_kernel_file(group.folder + file).value_or(""));
  };
  if (!group.is_version_2) return {number_in("/cpu.cfs_quota_us"), number_in("/cpu.cfs_period_us")};
  const std::string both = read_kernel_file(group.folder + "/cpu.max").value_or("");
  const std::size_t gap = both.find(' ');
  if (gap == std::string::npos) return {};
  return {number_at_front(both), number_at_front(std::string_view(both).substr(gap + 1))};
}

// The quotient is rounded up.
std::uint64_t processors_in(const Quota& quota) {
  if (!quota.time || quota.period.value_or(0) == 0) return std::numeric_limits<std::uint64_t>::max();
  return *quota.time / *quota.period + (*quota.time % *quota.period != 0 ? 1 : 0);
}

std::uint32_t processors_to_run_on() {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof(usable), &usable) == 0)
    return static_cast<std::uint32_t>(CPU_COUNT(&usable));
  return std::thread::hardware_concurrency();  // there are more than the set has room for
}

}  // namespace

std::uint32_t usable_processors(const KernelFolders& folders) {
  std::uint64_t usable = processors_to_run_on();
  for (const ControlGroup& group : control_groups("cpu", folders))
    usable = std::min(usable, processors_in(quota_of(group)));
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(usable, 1));
}

}  // namespace jackdaw::machine
