// CollectionLog: what a line looks like, where it goes, and that a collection of the process writes one.
#include "gc/process/collection_log.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "tests/gc/process/hidden_lists.h"

namespace jackdaw::gc {
namespace {

constexpr CollectionRecord kRecord{.number = 12,
                                   .reason = CollectionReason::request,
                                   .pause = std::chrono::microseconds(3214),
                                   .used_bytes_before = 64 << 20,
                                   .live_bytes = (31 << 20) + (1 << 18),
                                   .heap_bytes = 96 << 20,
                                   .mark_threads = 2,
                                   .steal_percent = 1.0416,
                                   .stopped_threads = 5};
constexpr const char* kLine =
    "jackdaw: collection=12 reason=request pause_ms=3.214 before_mib=64.000 live_mib=31.250 heap_mib=96.000 "
    "mark_threads=2 stolen_percent=1.042 stopped_threads=5\n";

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(CollectionLog, ALineNamesEachFigure) {
  std::array<char, kLongestLogLine> buffer;
  EXPECT_EQ(format_record(kRecord, buffer), kLine);
}

TEST(CollectionLog, TheLongestLineFits) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  const CollectionRecord record{
      .number = kMost,
      .reason = CollectionReason::out_of_memory,
      .pause = std::chrono::nanoseconds::max(),
      .used_bytes_before = kMost,
      .live_bytes = kMost,
      .heap_bytes = kMost,
      .mark_threads = std::numeric_limits<std::uint32_t>::max(),
      .steal_percent = 1e15,
      .stopped_threads = std::numeric_limits<std::uint32_t>::max(),
      .concurrent = ConcurrentRecord{.first_pause = std::chrono::nanoseconds::max(),
                                     .marking = std::chrono::nanoseconds::max(),
                                     .stops = std::numeric_limits<std::uint32_t>::max(),
                                     .longest_stop = std::chrono::nanoseconds::max(),
                                     .rounds = std::numeric_limits<std::uint32_t>::max(),
                                     .written_bytes = kMost}};
  std::array<char, kLongestLogLine> buffer;
  const std::string_view line = format_record(record, buffer);
  EXPECT_LT(line.size(), buffer.size());
  EXPECT_EQ(line.back(), '\n');
}

TEST(CollectionLog, OnlyThreadsThatVisitedSomethingCount) {
  std::vector<mark::WorkerStatistics> workers(4);
  EXPECT_EQ(threads_that_marked(workers), 1U);
  workers[0].tasks_executed = 10;
  workers[2].tasks_executed = 1;
  EXPECT_EQ(threads_that_marked(workers), 2U);
}

TEST(CollectionLog, AppendsToItsFile) {
  const std::string path = testing::TempDir() + "jackdaw_collection_log_test.txt";
  std::remove(path.c_str());
  for (int i = 0; i < 2; ++i) CollectionLog(path).write(kRecord);
  EXPECT_EQ(text_of(path), std::string(kLine) + kLine);
  std::remove(path.c_str());
}

TEST(CollectionLog, SaysWhenThereIsNoSuchFileAndWritesToTheErrorOutput) {
  testing::internal::CaptureStderr();
  CollectionLog("/no/such/directory/log").write(kRecord);
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "jackdaw: cannot open the log file '/no/such/directory/log' (No such file or directory); logging to "
      "the error output\n" +
          std::string(kLine));
}

// In a process of its own: the environment is read when the collector is made.
TEST(CollectionLogDeathTest, ACollectionWritesALine) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto collect_once = [] {
    setenv("JACKDAW_LOG", "1", 1);
    collector().collect();
    std::_Exit(0);
  };
  EXPECT_EXIT(collect_once(), testing::ExitedWithCode(0),
              "^jackdaw: collection=1 reason=request pause_ms=[0-9]+\\.[0-9]{3} before_mib=.* live_mib=.* "
              "heap_mib=.* mark_threads=1 stolen_percent=0\\.000 stopped_threads=0\n$");
}

}  // namespace
}  // namespace jackdaw::gc
