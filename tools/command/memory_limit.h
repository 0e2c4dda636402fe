// Memory limit: how much memory this process may still take, so that a benchmark refuses a heap that cannot
// fit instead of being killed during a run.
//
// Invariant: the answer is what the kernel reports at the time of the call; nothing is reserved.
#pragma once

#include <cstdint>
#include <string>

#include "machine/control_groups.h"

namespace jackdaw::tools {

/// Returns the bytes that this process can still take without swapping or being killed: the least of
/// MemAvailable in /proc/meminfo and, for each memory control group of the process, what
/// machine::MemoryLimits says is left. A missing or unreadable file sets no limit; without any limit, the
/// answer is UINT64_MAX.
[[nodiscard]] std::uint64_t available_memory_bytes(const machine::KernelFolders& folders = {});

/// Formats a number of bytes for people, in binary units with one decimal: "512 B", "1.5 GiB". UINT64_MAX, by
/// which checked arithmetic says 'too large to count', becomes "more than 16 EiB".
[[nodiscard]] std::string describe_bytes(std::uint64_t bytes);

}  // namespace jackdaw::tools
