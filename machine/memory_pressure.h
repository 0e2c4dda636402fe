// MemoryPressure: how long programs had to wait for memory, as the kernel counts it (pressure stall
// information, PSI).
//
// Such a wait comes from reclaim, from swapping, and from files that are read again because their cache was
// taken. It tells of a shortage earlier than what is left (MemoryLimits), and also of other processes' needs.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>

#include "machine/control_groups.h"

namespace jackdaw::machine {

/// The file is opened anew for each query. One thread at a time.
class MemoryPressure {
 public:
  /// Chooses memory.pressure of the nearest control group that has one, or else the whole machine's file.
  /// Throws std::bad_alloc.
  explicit MemoryPressure(const KernelFolders& folders = {});

  /// Returns for how long, in all, one thread or more has waited for memory; nothing where the kernel does
  /// not count that. Needs no malloc.
  std::optional<std::chrono::microseconds> stalled();

 private:
  std::string path_;  // empty: there is no such file
  std::array<char, 512> buffer_;
};

}  // namespace jackdaw::machine
