// MetricsFile: what the file says, and that collections of the process and of its children write it.
#include "gc/report/metrics_file.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/gc/process/hidden_lists.h"
#include "tests/scaled.h"
#include "tests/temporary_folder.h"

namespace jackdaw::gc {
namespace {

TEST(MetricsFile, SaysEachFigureOnceWithItsType) {
  std::array<char, kMetricsBytes> text;
  format_metrics({.collections = 3,
                  .all_pauses = std::chrono::microseconds(1'002'003),
                  .longest_pause = std::chrono::nanoseconds(40),
                  .processor_time = std::chrono::seconds(12),
                  .allocated_bytes = 1 << 20,
                  .live_bytes = 5,
                  .heap_bytes = 6,
                  .free_bytes = 7,
                  .given_back_bytes = 8},
                 42, text);
  const std::string all(text.begin(), text.end());
  EXPECT_EQ(all.substr(0, all.find_last_not_of('\n') + 1), R"(# TYPE jackdaw_collections_total counter
jackdaw_collections_total{pid="42"} 3
# TYPE jackdaw_pause_seconds_total counter
jackdaw_pause_seconds_total{pid="42"} 1.002003000
# TYPE jackdaw_longest_pause_seconds gauge
jackdaw_longest_pause_seconds{pid="42"} 0.000000040
# TYPE jackdaw_processor_seconds_total counter
jackdaw_processor_seconds_total{pid="42"} 12.000000000
# TYPE jackdaw_allocated_bytes_total counter
jackdaw_allocated_bytes_total{pid="42"} 1048576
# TYPE jackdaw_live_bytes gauge
jackdaw_live_bytes{pid="42"} 5
# TYPE jackdaw_heap_bytes gauge
jackdaw_heap_bytes{pid="42"} 6
# TYPE jackdaw_free_bytes gauge
jackdaw_free_bytes{pid="42"} 7
# TYPE jackdaw_given_back_bytes gauge
jackdaw_given_back_bytes{pid="42"} 8)");
}

TEST(MetricsFile, HasRoomForTheLargestFigures) {
  constexpr auto kMost = ~std::uint64_t{0};
  constexpr auto kLongest = std::chrono::nanoseconds::max();
  std::array<char, kMetricsBytes> text;
  format_metrics({kMost, kLongest, kLongest, kLongest, kMost, kMost, kMost, kMost, kMost}, kMost, text);
  EXPECT_EQ(text.back(), '\n');
}

TEST(MetricsFile, IsReplacedAndKeepsItsLength) {
  const std::string path = testing::TempDir() + "jackdaw_metrics_test.prom";
  MetricsFile file(path);
  file.write({.collections = 1'000'000});
  file.write({.collections = 2});
  const std::string text = read_file(path);
  EXPECT_EQ(text.size(), kMetricsBytes);
  EXPECT_NE(text.find("\"} 2\n"), std::string::npos) << text;
  std::remove(path.c_str());
}

TEST(MetricsFile, SaysWhenItCannotBeWritten) {
  testing::internal::CaptureStderr();
  MetricsFile("/no/such/directory/metrics").write({});
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "jackdaw: the metrics file '/no/such/directory/metrics' cannot be written (No such file or "
            "directory)\n");
}

// Collects `collections` times, and after that once in a child. Returns the child's number.
pid_t collect_and_fork(const std::string& path, int collections) {
  setenv("JACKDAW_METRICS", path.c_str(), 1);
  for (int i = 0; i < collections; ++i) collector().collect();
  const pid_t child = fork();
  if (child == 0) {
    collector().collect();
    std::_Exit(0);
  }
  waitpid(child, nullptr, 0);
  return child;
}

// This runs in a process of its own, because the environment is read when the collector is made.
TEST(MetricsFileDeathTest, CollectionsWriteItAndAChildHasItsOwn) {
  if (mark::kSanitized) GTEST_SKIP() << "a child may inherit the locks of the sanitizer's malloc";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string path = testing::TempDir() + "jackdaw_metrics_test_";
  const auto count_in = [](const std::string& file, pid_t process) {
    const std::string text = read_file(file);
    const std::string name = "jackdaw_collections_total{pid=\"" + std::to_string(process) + "\"} ";
    const std::size_t place = text.find(name);
    return place == std::string::npos ? -1 : std::stoi(text.substr(place + name.size()));
  };
  const auto run = [&] {
    const pid_t child = collect_and_fork(path + "%p", 3);
    const std::string own = path + std::to_string(getpid());
    const std::string childs = path + std::to_string(child);
    const bool is_right = count_in(own, getpid()) == 3 && count_in(childs, child) == 4;
    std::remove(own.c_str());
    std::remove(childs.c_str());
    std::_Exit(is_right ? 0 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "^$");
  const auto run_in_one_file = [&] {
    collect_and_fork(path, 2);
    const bool is_right = count_in(path, getpid()) == 2;
    std::remove(path.c_str());
    std::_Exit(is_right ? 0 : 1);
  };
  EXPECT_EXIT(run_in_one_file(), testing::ExitedWithCode(0), "^$");
}

}  // namespace
}  // namespace jackdaw::gc
