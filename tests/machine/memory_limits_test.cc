// MemoryLimits: reads what is left of memory from files that imitate the kernel's.
#include "machine/memory_limits.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/page_memory.h"
#include "tests/kernel_files.h"

namespace jackdaw::machine {
namespace {

using Rooms = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // limits, and what is left of them

Rooms rooms(MemoryLimits& limits, Left left) {
  Rooms found;
  limits.for_each(left, [&](const MemoryRoom& room) { found.emplace_back(room.limit, room.left); });
  return found;
}

Rooms rooms(const KernelFiles& files, Left left) {
  MemoryLimits limits(files.folders());
  return rooms(limits, left);
}

TEST(MemoryLimits, WithoutFilesThereAreNone) {
  EXPECT_EQ(rooms(KernelFiles(), Left::at_ease), Rooms());
  EXPECT_EQ(rooms(KernelFiles(), Left::at_last), Rooms());
}

TEST(MemoryLimits, TheMachineHasSwapSpaceAtLast) {
  const KernelFiles files;
  files.write("proc/meminfo",
              "MemTotal:  100 kB\nMemFree: 1 kB\nMemAvailable:   60 kB\nSwapTotal: 50 kB\nSwapFree:  7 kB\n");
  EXPECT_EQ(rooms(files, Left::at_ease), (Rooms{{100 * 1024, 60 * 1024}}));
  EXPECT_EQ(rooms(files, Left::at_last), (Rooms{{107 * 1024, 67 * 1024}}));
}

TEST(MemoryLimits, AGroupOfVersionTwoHasItsCachesAndItsSwapSpace) {
  const KernelFiles files;
  files.put_into_group("/job", "memory.max", "1000\n");
  files.write("cgroup/job/memory.current", "900\n");
  files.write("cgroup/job/memory.stat",
              "anon 5\nfile 400\ninactive_anon 3\nactive_anon 2\ninactive_file 300\nactive_file 40\n");
  EXPECT_EQ(rooms(files, Left::at_ease), (Rooms{{1000, 400}}));
  EXPECT_EQ(rooms(files, Left::at_last), (Rooms{{1000, 440}}));
  files.write("proc/meminfo", "MemTotal:  9 kB\nMemAvailable: 8 kB\nSwapFree:  1 kB\n");
  EXPECT_EQ(rooms(files, Left::at_last).back(), (Rooms::value_type{2024, 1464}));
  files.write("cgroup/job/memory.swap.max", "100\n");
  files.write("cgroup/job/memory.swap.current", "30\n");
  EXPECT_EQ(rooms(files, Left::at_last).back(), (Rooms::value_type{1070, 510}));
  files.write("cgroup/job/memory.swap.max", "max\n");
  EXPECT_EQ(rooms(files, Left::at_last).back(), (Rooms::value_type{2024, 1464}));
}

TEST(MemoryLimits, AGroupThatIsSlowedDownHasLessAtEase) {
  const KernelFiles files;
  files.put_into_group("/job", "memory.max", "max\n");
  files.write("cgroup/job/memory.current", "200\n");
  files.write("cgroup/job/memory.high", "800\n");
  EXPECT_EQ(rooms(files, Left::at_ease), (Rooms{{800, 600}}));
  EXPECT_EQ(rooms(files, Left::at_last), Rooms());
}

TEST(MemoryLimits, AGroupOfVersionOneCountsItsMembers) {
  const KernelFiles files;
  files.write("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/job\n0::/\n");
  files.write("cgroup/memory/job/memory.limit_in_bytes", "1000\n");
  files.write("cgroup/memory/job/memory.usage_in_bytes", "700\n");
  files.write("cgroup/memory/job/memory.stat",
              "inactive_file 1\nactive_file 2\ntotal_inactive_file 50\ntotal_active_file 200\n");
  EXPECT_EQ(rooms(files, Left::at_ease), (Rooms{{1000, 350}}));
  EXPECT_EQ(rooms(files, Left::at_last), (Rooms{{1000, 550}}));
  // This limit is one of memory and swap space together.
  files.write("proc/meminfo", "MemTotal:  9 kB\nMemAvailable: 8 kB\nSwapFree:  1 kB\n");
  files.write("cgroup/memory/job/memory.memsw.limit_in_bytes", "1600\n");
  files.write("cgroup/memory/job/memory.memsw.usage_in_bytes", "750\n");
  EXPECT_EQ(rooms(files, Left::at_last).back(), (Rooms::value_type{1550, 1100}));
}

TEST(MemoryLimits, AncestorsCountAndThosePastTheirLimitHaveNothing) {
  const KernelFiles files;
  files.put_into_group("/user/job", "memory.max", "1000\n");
  files.write("cgroup/user/job/memory.current", "1\n");
  files.write("cgroup/user/memory.max", "500\n");
  files.write("cgroup/user/memory.current", "501\n");
  EXPECT_EQ(rooms(files, Left::at_ease), (Rooms{{1000, 999}, {500, 0}}));
}

TEST(MemoryLimits, WhatIsCachedIsLeftAlsoWhileMuchIsFree) {
  const KernelFiles files;
  files.put_into_group("/job", "memory.max", "1000\n");
  files.write("cgroup/job/memory.current", "500\n");
  files.write("cgroup/job/memory.stat", "inactive_file 300\nactive_file 60\n");
  EXPECT_EQ(rooms(files, Left::at_ease), (Rooms{{1000, 800}}));
  EXPECT_EQ(rooms(files, Left::at_last), (Rooms{{1000, 860}}));
}

TEST(MemoryLimits, TheUserLeavesAPartOfEach) {
  const KernelFiles files;
  files.write("proc/meminfo", "MemTotal: 100 kB\nMemAvailable: 60 kB\nSwapFree: 0 kB\n");
  files.put_into_group("/job", "memory.max", "1000\n");
  files.write("cgroup/job/memory.current", "900\n");
  MemoryLimits limits(files.folders(), {.percent = 75});
  EXPECT_EQ(rooms(limits, Left::at_ease), (Rooms{{76800, 35840}, {750, 0}}));
}

TEST(MemoryLimits, TheUserLimitsTheProcess) {
  const std::uint64_t page = base::page_bytes();
  const KernelFiles files;
  MemoryLimits limits(files.folders(), {.process_bytes = 10 * page, .percent = 50});
  EXPECT_EQ(rooms(limits, Left::at_ease), (Rooms{{10 * page, 10 * page}})) << "the kernel does not tell";
  files.write("proc/thread-self/statm", "900 7 3 1 0 5 0\n");
  EXPECT_EQ(rooms(limits, Left::at_ease), (Rooms{{10 * page, 3 * page}}));
  EXPECT_EQ(rooms(limits, Left::at_last), (Rooms{{10 * page, 3 * page}}));
  files.write("proc/thread-self/statm", "900 11 3 1 0 5 0\n");
  EXPECT_EQ(rooms(limits, Left::at_ease), (Rooms{{10 * page, 0}}));
}

TEST(MemoryLimits, GroupsAreFoundOnceAndReadAnew) {
  const KernelFiles files;
  files.put_into_group("/job", "memory.max", "1000\n");
  files.write("cgroup/job/memory.current", "100\n");
  MemoryLimits limits(files.folders());
  files.write("proc/self/cgroup", "0::/elsewhere\n");
  files.write("cgroup/job/memory.max", "2000\n");
  files.write("cgroup/job/memory.current", "300\n");
  EXPECT_EQ(rooms(limits, Left::at_ease), (Rooms{{2000, 1700}}));
}

TEST(KernelFile, IsReadAsFarAsThereIsRoom) {
  const KernelFiles files;
  files.write("proc/numbers", "0123456789");
  std::array<char, 4> four{};
  std::array<char, 20> twenty{};
  EXPECT_EQ(read_kernel_file(files.folders().proc + "/numbers", four), "0123");
  EXPECT_EQ(read_kernel_file(files.folders().proc + "/numbers", twenty), "0123456789");
  EXPECT_EQ(read_kernel_file(files.folders().proc + "/none", twenty), std::nullopt);
  EXPECT_EQ(read_kernel_file(files.folders().proc, twenty), std::nullopt) << "a folder";
}

}  // namespace
}  // namespace jackdaw::machine
