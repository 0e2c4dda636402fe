// CollectionLog: what a line looks like, where it goes, and that a collection of the process writes one.
#include "gc/report/collection_log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <regex>
#include <string>
#include <vector>

#include "tests/base/taken_numbers.h"
#include "tests/gc/process/hidden_lists.h"
#include "tests/temporary_folder.h"

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
                                   .stopped_threads = 5,
                                   .markers = 8,
                                   .at = std::chrono::microseconds(12'345'010),
                                   .process = 4321,
                                   .free_bytes = 3 << 20,
                                   .given_back_bytes = 1 << 19,
                                   .processor_time = std::chrono::microseconds(7654)};
constexpr ConcurrentRecord kConcurrent{.first_pause = std::chrono::microseconds(1500),
                                       .marking = std::chrono::milliseconds(70),
                                       .stops = 3,
                                       .longest_stop = std::chrono::microseconds(99),
                                       .rounds = 4,
                                       .written_bytes = 1 << 19};
constexpr const char* kFields =
    "jackdaw: collection=12 reason=request pause_ms=3.214 before_mib=64.000 live_mib=31.250 heap_mib=96.000 "
    "mark_threads=2 stolen_percent=1.042 stopped_threads=5";

TEST(CollectionLog, ALineNamesEachFigure) {
  std::array<char, kLongestLogLine> buffer;
  EXPECT_EQ(
      format_record(kRecord, LogSpelling::words, buffer),
      std::string(kFields) +
          " markers=8 at_ms=12345.010 pid=4321 free_mib=3.000 given_back_mib=0.500 processor_ms=7.654\n");
  EXPECT_EQ(format_record(kRecord, LogSpelling::json, buffer),
            R"({"collection":12,"reason":"request","pause_ms":3.214,"before_mib":64.000,"live_mib":31.250,)"
            R"("heap_mib":96.000,"mark_threads":2,"stolen_percent":1.042,"stopped_threads":5,"markers":8,)"
            R"("at_ms":12345.010,"pid":4321,"free_mib":3.000,"given_back_mib":0.500,"processor_ms":7.654})"
            "\n");
}

TEST(CollectionLog, ALineNamesWhatCameBeforeThePause) {
  CollectionRecord record = kRecord;
  record.concurrent = kConcurrent;
  std::array<char, kLongestLogLine> buffer;
  EXPECT_EQ(format_record(record, LogSpelling::words, buffer),
            std::string(kFields) +
                " first_pause_ms=1.500 concurrent_ms=70.000 stops=3 longest_stop_ms=0.099 rounds=4 "
                "written_mib=0.500 markers=8 at_ms=12345.010 pid=4321 free_mib=3.000 given_back_mib=0.500 "
                "processor_ms=7.654\n");
  EXPECT_NE(format_record(record, LogSpelling::json, buffer)
                .find(R"("stopped_threads":5,"first_pause_ms":1.500,"concurrent_ms":70.000,"stops":3,)"
                      R"("longest_stop_ms":0.099,"rounds":4,"written_mib":0.500,"markers":8)"),
            std::string_view::npos);
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
                                     .written_bytes = kMost},
      .markers = std::numeric_limits<std::uint32_t>::max(),
      .at = std::chrono::nanoseconds::max(),
      .process = std::numeric_limits<std::uint32_t>::max(),
      .free_bytes = kMost,
      .given_back_bytes = kMost,
      .processor_time = std::chrono::nanoseconds::max()};
  for (const LogSpelling spelling : {LogSpelling::words, LogSpelling::json}) {
    std::array<char, kLongestLogLine> buffer;
    const std::string_view line = format_record(record, spelling, buffer);
    EXPECT_LT(line.size(), buffer.size());
    EXPECT_EQ(line.back(), '\n');
  }
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
  for (int i = 0; i < 2; ++i) CollectionLog(path, LogSpelling::words).write(kRecord);
  const std::string line = std::string(kFields) +
                           " markers=8 at_ms=0\\.[0-9]{3} pid=" + std::to_string(getpid()) +
                           " free_mib=3\\.000 given_back_mib=0\\.500 processor_ms=7\\.654";
  EXPECT_TRUE(std::regex_match(read_file(path), std::regex(line + "\n" + line + "\n"))) << read_file(path);
  std::remove(path.c_str());
}

TEST(CollectionLog, SaysWhenThereIsNoSuchFileAndWritesToTheErrorOutput) {
  testing::internal::CaptureStderr();
  CollectionLog("/no/such/directory/log", LogSpelling::words).write(kRecord);
  EXPECT_TRUE(testing::internal::GetCapturedStderr().starts_with(
      "jackdaw: cannot open the log file '/no/such/directory/log' (No such file or directory); logging to "
      "the error output\n" +
      std::string(kFields)));
}

TEST(CollectionLog, SaysOnceThatLinesAreLost) {
  const std::string path = testing::TempDir() + "jackdaw_collection_log_test.txt";
  std::remove(path.c_str());
  const std::string other = testing::TempDir() + "jackdaw_collection_log_test_other.txt";
  testing::internal::CaptureStderr();
  {
    CollectionLog log(path, LogSpelling::words);
    log.write(kRecord);
    const std::string before = read_file(path);
    const base::TakenNumbers taken(other);
    for (int i = 0; i < 2; ++i) log.write(kRecord);
    EXPECT_EQ(before.substr(0, 9), "jackdaw: ");
  }
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "jackdaw: lines of the log are lost: its file takes no more, or the program has closed its number\n");
  EXPECT_EQ(read_file(other), "");
  std::remove(path.c_str());
  std::remove(other.c_str());
}

// This runs in a process of its own, because the environment is read when the collector is made.
TEST(CollectionLogDeathTest, ACollectionWritesALine) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto collect_once = [](const char* log) {
    setenv("JACKDAW_LOG", log, 1);
    collector().collect();
    std::_Exit(0);
  };
  EXPECT_EXIT(collect_once("json"), testing::ExitedWithCode(0),
              "^\\{\"collection\":1,\"reason\":\"request\",.*,\"markers\":[0-9]+,\"at_ms\":[0-9]+\\.[0-9]{3},"
              "\"pid\":[0-9]+,\"free_mib\":[0-9]+\\.[0-9]{3},\"given_back_mib\":[0-9]+\\.[0-9]{3},"
              "\"processor_ms\":[0-9]+\\.[0-9]{3}\\}\n$");
  EXPECT_EXIT(
      collect_once("1"), testing::ExitedWithCode(0),
      "^jackdaw: collection=1 reason=request pause_ms=[0-9]+\\.[0-9]{3} before_mib=.* live_mib=.* "
      "heap_mib=.* mark_threads=1 stolen_percent=0\\.000 stopped_threads=0 markers=[0-9]+ "
      "at_ms=[0-9]+\\.[0-9]{3} pid=[0-9]+ free_mib=[0-9]+\\.[0-9]{3} given_back_mib=[0-9]+\\.[0-9]{3} "
      "processor_ms=[0-9]*\\.?[0-9]*[1-9][0-9]*\n$");
}

}  // namespace
}  // namespace jackdaw::gc
