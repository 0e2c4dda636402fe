// KernelFiles: the kernel's files as a test wants them to be, in a folder of its own.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "machine/control_groups.h"

namespace jackdaw {

/// Empty at first; removed with the object.
class KernelFiles {
 public:
  KernelFiles() {
    std::string pattern = testing::TempDir() + "kernel_XXXXXX";
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  ~KernelFiles() { std::filesystem::remove_all(root_); }
  KernelFiles(const KernelFiles&) = delete;
  KernelFiles& operator=(const KernelFiles&) = delete;

  /// Writes a file: "proc/..." or "cgroup/...".
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  /// Puts the process into a group of version 2, and sets the group a limit: "cpu.max" or the like.
  void put_into_group(const std::string& group, const std::string& file, const std::string& limit) const {
    write("proc/self/cgroup", "0::" + group + '\n');
    write("cgroup" + group + '/' + file, limit);
  }
  [[nodiscard]] machine::KernelFolders folders() const {
    return {.proc = (root_ / "proc").string(), .cgroup = (root_ / "cgroup").string()};
  }

 private:
  std::filesystem::path root_;
};

}  // namespace jackdaw
