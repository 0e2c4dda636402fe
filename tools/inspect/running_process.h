// RunningProcess: what /proc tells of a process that may run on Jackdaw.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace jackdaw::tools {

struct RunningProcess {
  pid_t number = 0;
  std::string command;  ///< its words, or its name where it has none
  uid_t user = 0;       ///< the effective one
  gid_t group = 0;
  std::uint64_t resident_bytes = 0;
  bool is_on_jackdaw = false;  ///< false also where its files cannot be read
  /// Why it must not or cannot be asked, as the end of a line; empty: it can.
  std::string obstacle;
};

/// Returns what is known of the process. Throws InputError where there is none.
RunningProcess look_at(pid_t process);

/// Returns the complaint about a process that does not run on Jackdaw.
std::string why_not_on_jackdaw(pid_t process);

/// Whether the process is there and has not ended.
bool is_running(pid_t process);

/// Returns all processes on Jackdaw whose files this user may read, in the order of their numbers.
std::vector<RunningProcess> processes_on_jackdaw();

}  // namespace jackdaw::tools
