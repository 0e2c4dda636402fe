// How many processors a process can use, by a kernel's files of our own making.
#include "machine/usable_processors.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdint>
#include <thread>

#include "tests/confine_thread.h"
#include "tests/kernel_files.h"

namespace jackdaw::machine {
namespace {

std::uint32_t processors_by_affinity() {
  cpu_set_t usable;
  EXPECT_EQ(sched_getaffinity(0, sizeof(usable), &usable), 0);
  return static_cast<std::uint32_t>(CPU_COUNT(&usable));
}

TEST(UsableProcessors, WithoutGroupsAreThoseToRunOn) {
  EXPECT_EQ(usable_processors({.proc = "/nowhere", .cgroup = "/nowhere"}), processors_by_affinity());
}

TEST(UsableProcessors, AThreadConfinedToOneHasOne) {
  std::thread([] {
    confine_this_thread(sched_getcpu());
    EXPECT_EQ(usable_processors({.proc = "/nowhere", .cgroup = "/nowhere"}), 1U);
  }).join();
}

TEST(UsableProcessors, AVersionTwoQuotaCountsRoundedUp) {
  const KernelFiles files;
  files.put_into_group("/job", "cpu.max", "50000 100000\n");
  EXPECT_EQ(usable_processors(files.folders()), 1U);
  files.put_into_group("/job", "cpu.max", "100001 100000\n");
  EXPECT_EQ(usable_processors(files.folders()), std::min(2U, processors_by_affinity()));
}

TEST(UsableProcessors, NoQuotaAndAHighOneSetNoLimit) {
  const KernelFiles files;
  for (const char* const text : {"max 100000\n", "max\n", "", "9900000 100000\n", "100000 0\n", "x y\n"}) {
    files.put_into_group("/job", "cpu.max", text);
    EXPECT_EQ(usable_processors(files.folders()), processors_by_affinity()) << text;
  }
}

TEST(UsableProcessors, AncestorsCountToo) {
  const KernelFiles files;
  files.put_into_group("/user/job", "cpu.max", "max 100000\n");
  files.write("cgroup/user/cpu.max", "100000 100000\n");
  EXPECT_EQ(usable_processors(files.folders()), 1U);
}

TEST(UsableProcessors, AVersionOneQuotaCounts) {
  const KernelFiles files;
  files.write("proc/self/cgroup", "7:memory:/other\n4:cpu,cpuacct:/job\n");
  files.write("cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  files.write("cgroup/cpu/job/cpu.cfs_quota_us", "100000\n");
  EXPECT_EQ(usable_processors(files.folders()), 1U);
  files.write("cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(usable_processors(files.folders()), processors_by_affinity());
}

}  // namespace
}  // namespace jackdaw::machine
