// MemoryLimits: what the machine, and the control groups of a process, leave it of their memory.
//
// A kernel that finds no memory for a page takes it from the cache of files, then writes pages to swap space,
// and in the end kills a process. So what is left depends on how far one wants to go (Left).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/control_groups.h"

namespace jackdaw::machine {

/// One limit of memory, in bytes.
struct MemoryRoom {
  std::uint64_t limit = 0;
  std::uint64_t left = 0;
};

/// Says what counts as left of a limit.
enum class Left : std::uint8_t {
  at_ease,  ///< what is free, and the cache of files that nobody used lately
  at_last,  ///< all that can be taken before a process is killed: also the cache of other files, and swap
            ///< space
};

/// The part of the memory that the user of a process lets it have.
struct MemoryShare {
  /// The process may have this many bytes resident.
  std::uint64_t process_bytes = std::numeric_limits<std::uint64_t>::max();
  /// This part of each limit may be used, by all processes together: from 1 to 100.
  std::uint32_t percent = 100;
};

/// Files are opened anew for each query. One thread at a time.
class MemoryLimits {
 public:
  /// Finds the control groups. Throws std::bad_alloc.
  explicit MemoryLimits(const KernelFolders& folders = {}, const MemoryShare& share = {});

  /// Calls `function(MemoryRoom)` for each limit that the kernel or the user tells. Needs no malloc.
  template <typename Function>
  void for_each(Left left, Function function) {
    if (const auto room = of_process()) function(*room);
    if (const auto room = of_machine(left)) function(part_of(*room));
    for (const ControlGroup& group : groups_) {
      if (const auto room = of_group(group, left)) function(part_of(*room));
    }
  }

 private:
  [[nodiscard]] MemoryRoom part_of(const MemoryRoom& room) const;
  std::optional<MemoryRoom> of_process();
  std::optional<MemoryRoom> of_machine(Left left);
  std::optional<MemoryRoom> of_group(const ControlGroup& group, Left left);
  std::uint64_t file_cache(const ControlGroup& group, Left left);
  std::uint64_t swap_space(const ControlGroup& group, std::uint64_t without_swap);
  std::string_view contents(const std::string& folder, const char* file);
  std::optional<std::uint64_t> number_in(const ControlGroup& group, const char* file);

  const MemoryShare share_;
  const std::string proc_;
  const std::vector<ControlGroup> groups_;
  std::uint64_t free_swap_ = 0;  // of the machine, when it was last asked for
  std::string path_;             // has room for the longest
  std::array<char, 4096> buffer_;
};

}  // namespace jackdaw::machine
