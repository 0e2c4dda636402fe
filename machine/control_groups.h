// Control groups: the limits that a container or a service manager sets a process, as far as the kernel's
// files tell.
//
// Version 2 of control groups is one tree below /sys/fs/cgroup; version 1 has a tree for each controller.
// Inside a container the path of a group may be the host's and lead nowhere; the ancestors that do exist
// still count.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jackdaw::machine {

/// Where the kernel's files are. The defaults are the system's; tests point them at a folder of their own.
struct KernelFolders {
  std::string proc = "/proc";
  std::string cgroup = "/sys/fs/cgroup";
};

/// One control group: its folder, and which version's names its files have.
struct ControlGroup {
  std::string folder;
  bool is_version_2 = true;
};

/// Returns the groups in which the controller ("cpu", "memory") may limit this process, and their ancestors,
/// the nearest first. Groups that do not exist may be among them: their files cannot be read. Any thread.
/// Throws std::bad_alloc.
std::vector<ControlGroup> control_groups(std::string_view controller, const KernelFolders& folders = {});

/// Returns the contents of a kernel file, up to 64 KiB, or nothing when it cannot be read. Any thread. Throws
/// std::bad_alloc.
std::optional<std::string> read_kernel_file(const std::string& path);
/// Returns what fits into `buffer` of the contents of a kernel file, or nothing when it cannot be read. Needs
/// no malloc. Any thread.
std::optional<std::string_view> read_kernel_file(const std::string& path, std::span<char> buffer);

/// Returns the number at the front of a text, or nothing when there is none, as in "max".
std::optional<std::uint64_t> number_at_front(std::string_view text);

}  // namespace jackdaw::machine
