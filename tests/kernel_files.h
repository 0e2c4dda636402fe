// KernelFiles: the kernel's files as a test wants them to be, in a folder of its own.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "machine/control_groups.h"
#include "tests/temporary_folder.h"

namespace jackdaw {

class KernelFiles {
 public:
  /// Writes a file: "proc/..." or "cgroup/...".
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  /// Puts the process into a group of version 2, and sets the group a limit: "cpu.max" or the like.
  void put_into_group(const std::string& group, const std::string& file, const std::string& limit) const {
    write("proc/self/cgroup", "0::" + group + '\n');
    write("cgroup" + group + '/' + file, limit);
  }
  [[nodiscard]] machine::KernelFolders folders() const {
    return {.proc = (root() / "proc").string(), .cgroup = (root() / "cgroup").string()};
  }

 private:
  [[nodiscard]] std::filesystem::path root() const { return folder_.path(); }

  TemporaryFolder folder_;
};

}  // namespace jackdaw
