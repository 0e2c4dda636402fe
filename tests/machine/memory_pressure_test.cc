// MemoryPressure: reads for how long threads waited for memory from files that imitate the kernel's.
#include "machine/memory_pressure.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include "tests/kernel_files.h"

namespace jackdaw::machine {
namespace {

std::string pressure(const std::string& total) {
  return "some avg10=1.20 avg60=0.00 avg300=0.00 total=" + total +
         "\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=5\n";
}

std::optional<std::int64_t> stalled(const KernelFiles& files) {
  const auto time = MemoryPressure(files.folders()).stalled();
  return time ? std::optional(time->count()) : std::nullopt;
}

TEST(MemoryPressure, WithoutFilesThereIsNone) { EXPECT_EQ(stalled(KernelFiles()), std::nullopt); }

TEST(MemoryPressure, ThatOfTheNearestGroupCounts) {
  const KernelFiles files;
  files.write("proc/pressure/memory", pressure("7"));
  EXPECT_EQ(stalled(files), 7);
  files.write("proc/self/cgroup", "4:memory:/old\n0::/outer/job\n");
  files.write("cgroup/memory/old/memory.pressure", pressure("1"));
  EXPECT_EQ(stalled(files), 7);
  files.write("cgroup/outer/memory.pressure", pressure("2000000000000"));
  EXPECT_EQ(stalled(files), 2'000'000'000'000);
  files.write("cgroup/outer/job/memory.pressure", pressure("3"));
  EXPECT_EQ(stalled(files), 3);
}

TEST(MemoryPressure, IsReadAnew) {
  const KernelFiles files;
  files.write("proc/pressure/memory", pressure("7"));
  MemoryPressure read(files.folders());
  files.write("proc/pressure/memory", pressure("8"));
  EXPECT_EQ(read.stalled(), std::chrono::microseconds(8));
  files.write("proc/pressure/memory", "");
  EXPECT_EQ(read.stalled(), std::nullopt);
}

TEST(MemoryPressure, OddContentsTellNothing) {
  const KernelFiles files;
  for (const char* const text : {"", "some", "some total=", "some total=x\n", "full avg10=0.00 total=5\n",
                                 "some avg10=0.00\nfull avg10=0.00 total=5\n"}) {
    files.write("proc/pressure/memory", text);
    EXPECT_EQ(stalled(files), std::nullopt) << text;
  }
}

// This system's own time, if it tells one, only grows.
TEST(MemoryPressure, OfThisSystem) {
  MemoryPressure read;
  const auto before = read.stalled();
  const auto after = read.stalled();
  EXPECT_EQ(before.has_value(), after.has_value());
  EXPECT_GE(after.value_or(std::chrono::microseconds(0)), before.value_or(std::chrono::microseconds(0)));
}

}  // namespace
}  // namespace jackdaw::machine
