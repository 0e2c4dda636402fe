// How much memory there is, by a kernel's files of our own making.
#include "tools/command/memory_limit.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/kernel_files.h"

namespace jackdaw::tools {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

class MemoryLimit : public testing::Test {
 protected:
  MemoryLimit() {
    write("proc/meminfo", "MemTotal:       1000 kB\nMemFree:         10 kB\nMemAvailable:    500 kB\n");
  }

  void write(const std::string& path, const std::string& text) const { files_.write(path, text); }
  // Puts the process into a group with this limit, which has taken `taken` bytes.
  void put_into_group(const std::string& group, const std::string& limit, const std::string& taken) const {
    files_.put_into_group(group, "memory.max", limit);
    write("cgroup" + group + "/memory.current", taken);
  }
  [[nodiscard]] std::uint64_t available() const { return available_memory_bytes(files_.folders()); }

 private:
  KernelFiles files_;
};

TEST_F(MemoryLimit, WithoutGroupsItIsWhatTheSystemHas) { EXPECT_EQ(available(), 500U * 1024); }

TEST_F(MemoryLimit, WithoutAnyFileThereIsNoLimit) {
  EXPECT_EQ(available_memory_bytes({.proc = "/nowhere", .cgroup = "/nowhere"}), kUnlimited);
}

TEST_F(MemoryLimit, VersionTwoGroup) {
  put_into_group("/job", "100000\n", "40000\n");
  EXPECT_EQ(available(), 60'000U);
}

TEST_F(MemoryLimit, VersionTwoWithoutALimit) {
  put_into_group("/job", "max\n", "40000\n");
  EXPECT_EQ(available(), 500U * 1024);
}

TEST_F(MemoryLimit, AncestorsCountToo) {
  put_into_group("/user/job", "100000\n", "0\n");
  write("cgroup/user/memory.max", "50000\n");
  write("cgroup/user/memory.current", "20000\n");
  EXPECT_EQ(available(), 30'000U);
}

TEST_F(MemoryLimit, PathOfTheHostFallsBackToTheRoot) {
  write("proc/self/cgroup", "0::/docker/not_visible_here\n");
  write("cgroup/memory.max", "100000\n");
  write("cgroup/memory.current", "1\n");
  EXPECT_EQ(available(), 99'999U);
}

TEST_F(MemoryLimit, FilePagesThatCanBeDroppedAreFree) {
  put_into_group("/job", "100000\n", "90000\n");
  write("cgroup/job/memory.stat", "anon 10000\ninactive_file 70000\n");
  EXPECT_EQ(available(), 80'000U);
}

TEST_F(MemoryLimit, VersionOneGroup) {
  write("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/job\n0::/\n");
  write("cgroup/memory/job/memory.limit_in_bytes", "100000\n");
  write("cgroup/memory/job/memory.usage_in_bytes", "70000\n");
  write("cgroup/memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 5000\n");
  EXPECT_EQ(available(), 35'000U);
}

TEST_F(MemoryLimit, OverdrawnGroupHasNothingLeft) {
  put_into_group("/job", "100\n", "200\n");
  EXPECT_EQ(available(), 0U);
}

TEST_F(MemoryLimit, NonsenseSetsNoLimit) {
  write("proc/self/cgroup", "nonsense\n:\n0::\n4:memory\n");
  write("cgroup/memory.max", "lots\n");
  EXPECT_EQ(available(), 500U * 1024);
}

TEST(MemoryLimitOfThisMachine, IsSomething) {
  EXPECT_GT(available_memory_bytes(), 0U);
  EXPECT_LT(available_memory_bytes(), kUnlimited);
}

TEST(DescribeBytes, ReadsWell) {
  EXPECT_EQ(describe_bytes(0), "0 B");
  EXPECT_EQ(describe_bytes(1023), "1023 B");
  EXPECT_EQ(describe_bytes(1024), "1.0 KiB");
  EXPECT_EQ(describe_bytes(1536), "1.5 KiB");
  EXPECT_EQ(describe_bytes((1U << 20) - 1), "1.0 MiB");
  EXPECT_EQ(describe_bytes(std::uint64_t{24} << 30), "24.0 GiB");
  EXPECT_EQ(describe_bytes(kUnlimited - 1), "16.0 EiB");
  EXPECT_EQ(describe_bytes(kUnlimited), "more than 16 EiB");
}

}  // namespace
}  // namespace jackdaw::tools
