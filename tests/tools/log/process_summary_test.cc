// Summaries of each process in a log: percentiles of pauses, time, kinds, and which lines belong to which.
#include "tools/log/process_summary.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tests/tools/log/log_builder.h"

namespace jackdaw::tools {
namespace {

TEST(Pauses, HavePercentilesThatOccurred) {
  std::vector<int> pauses(200);
  std::iota(pauses.rbegin(), pauses.rend(), 1);
  const PauseFigures figures = pauses_of(log_with_pauses(pauses));
  EXPECT_EQ(figures.count, 200U);
  EXPECT_DOUBLE_EQ(figures.total_ms, 200 * 201 / 2.0);
  EXPECT_DOUBLE_EQ(figures.p50_ms, 100);
  EXPECT_DOUBLE_EQ(figures.p90_ms, 180);
  EXPECT_DOUBLE_EQ(figures.p99_ms, 198);
  EXPECT_DOUBLE_EQ(figures.longest_ms, 200);
  EXPECT_EQ(pauses_of({}).count, 0U);
}

TEST(Pauses, OfConcurrentMarkingAreThoseThatTheLogTells) {
  auto log = log_with_pauses({5});
  log[0].concurrent = gc::ConcurrentRecord{.first_pause = std::chrono::milliseconds(2)};
  EXPECT_DOUBLE_EQ(pauses_of(log).total_ms, 7);
  log[0].concurrent->stops = 3;
  log[0].concurrent->longest_stop = std::chrono::milliseconds(9);
  EXPECT_EQ(pauses_of(log).count, 3U);
  EXPECT_DOUBLE_EQ(pauses_of(log).total_ms, 16);
  EXPECT_DOUBLE_EQ(pauses_of(log).longest_ms, 9);
}

TEST(ProcessSummary, SumsUpOneProcess) {
  auto log = log_with_pauses({10, 20, 30});
  log[1].live_bytes = std::uint64_t{120} << 20;
  log[1].heap_bytes = std::uint64_t{200} << 20;
  log[2].reason = gc::CollectionReason::request;
  const auto processes = summarise_processes(log);
  ASSERT_EQ(processes.size(), 1U);
  const ProcessSummary& process = processes[0];
  EXPECT_EQ(process.process, 7U);
  EXPECT_EQ(process.begin_ms, 0);
  EXPECT_EQ(process.end_ms, 300);
  EXPECT_DOUBLE_EQ(process.paused_percent, 20);
  EXPECT_EQ(process.peak_live_bytes, std::uint64_t{120} << 20);
  EXPECT_EQ(process.peak_heap_bytes, std::uint64_t{200} << 20);
  ASSERT_EQ(process.kinds.size(), 2U);
  EXPECT_EQ(process.kinds[0].collections, 2U);
  EXPECT_DOUBLE_EQ(process.kinds[0].pauses.total_ms, 30);
  EXPECT_EQ(process.kinds[1].reason, gc::CollectionReason::request);
}

TEST(ProcessSummary, BeginsWithTheFirstCollectionThatTheLogHas) {
  auto log = log_with_pauses({10, 20, 30});
  log.erase(log.begin());
  const auto processes = summarise_processes(log);
  EXPECT_EQ(processes[0].begin_ms, 180);
  EXPECT_DOUBLE_EQ(processes[0].paused_percent, 100.0 * 50 / 120);
}

TEST(ProcessSummary, OfAWrongClockIsAtMostAllOfTheTime) {
  auto log = log_with_pauses({10});
  log[0].at = {};
  EXPECT_DOUBLE_EQ(summarise_processes(log)[0].paused_percent, 100);
  log[0].pause = {};
  EXPECT_EQ(summarise_processes(log)[0].paused_percent, 0);
}

TEST(ProcessSummary, TellsProcessesApart) {
  auto log = log_with_pauses({1, 2, 4});
  auto others = log_with_pauses({10, 20});
  for (auto& other : others) other.process = 8;
  // Their lines alternate; and then another process has the number of the first.
  log.insert(log.begin() + 1, others[0]);
  log.insert(log.begin() + 3, others[1]);
  const auto again = log_with_pauses({3});
  log.insert(log.end(), again.begin(), again.end());
  const auto processes = summarise_processes(log);
  ASSERT_EQ(processes.size(), 3U);
  EXPECT_EQ(processes[0].process, 8U) << "the longest pauses first";
  EXPECT_DOUBLE_EQ(processes[0].pauses.total_ms, 30);
  EXPECT_DOUBLE_EQ(processes[1].pauses.total_ms, 7);
  EXPECT_DOUBLE_EQ(processes[2].pauses.total_ms, 3);
}

}  // namespace
}  // namespace jackdaw::tools
