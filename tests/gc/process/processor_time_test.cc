// The collector's processor time: what the system says of its threads and of the thread that collects, no
// more and no less, and never less than before.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/processor_time.h"
#include "jackdaw/gc.h"
#include "tests/gc/process/concurrent/concurrent_program.h"

namespace jackdaw::gc {
namespace {

using std::chrono::nanoseconds;

nanoseconds reported() { return nanoseconds(static_cast<std::int64_t>(GC_get_processor_time_ns())); }

// The kernel's number for the processor-time clock of a thread, by which threads that nobody joins are asked.
clockid_t clock_of(pid_t thread) {
  constexpr unsigned kThreadsTime = 6;
  return static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3 | kThreadsTime);
}

// The time of all threads but the calling one. In these tests they are the collector's.
nanoseconds time_of_others() {
  nanoseconds time{0};
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    const std::string name = entry.path().filename();
    pid_t thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    if (thread != gettid()) time += base::time_of_clock(clock_of(thread));
  }
  return time;
}

void* new_tree(int depth) {
  auto** const node = static_cast<void**>(GC_malloc(2 * sizeof(void*)));
  if (depth == 0) return node;
  node[0] = new_tree(depth - 1);
  node[1] = new_tree(depth - 1);
  return node;
}

// Each reading on the left precedes the one on its right, and so the other way round at the end.
template <typename Work>
void expect_right_figures_of(Work work) {
  const nanoseconds own_before = base::processor_time();
  const nanoseconds most_before = time_of_others();
  const nanoseconds before = reported();
  const nanoseconds least_before = time_of_others();
  work();
  const nanoseconds least = time_of_others() - least_before;
  const nanoseconds time = reported() - before;
  const nanoseconds most = time_of_others() - most_before + base::processor_time() - own_before;
  EXPECT_GT(time, least);
  EXPECT_LE(time, most);
}

TEST(ProcessorTime, IsThatOfTheCollectorsThreadsAndOfWhoCollects) {
  setenv("JACKDAW_MARKERS", "3", 1);
  setenv("JACKDAW_STRESS", "0", 1);
  GC_init();
  GC_start_mark_threads();
  void* volatile tree = new_tree(16);
  for (int i = 0; i < 5; ++i) expect_right_figures_of([] { GC_gcollect(); });
  EXPECT_GT(time_of_others(), nanoseconds::zero());
  EXPECT_NE(tree, nullptr);
}

TEST(ProcessorTime, HasTheThreadThatMarksWhileTheProgramRuns) {
  if (!tracks_writes()) GTEST_SKIP() << "the system does not tell what was written";
  setenv("JACKDAW_CONCURRENT", "1", 1);
  setenv("JACKDAW_PAUSE_MS", "0", 1);
  setenv("JACKDAW_STRESS", "0", 1);
  GC_init();
  void* volatile tree = new_tree(16);
  for (int i = 0; i < 3; ++i) expect_right_figures_of(run_cycle);
  EXPECT_NE(tree, nullptr);
}

TEST(ProcessorTime, StandsStillWhileNothingIsCollected) {
  GC_init();
  GC_gcollect();
  GC_disable();
  // The collector's threads may still be at work. So what they do between two readings makes the first
  // difference larger, and the second one smaller.
  const nanoseconds of_others = time_of_others();
  const nanoseconds before = reported() - of_others;
  void* volatile tree = new_tree(12);
  const nanoseconds after = reported();
  EXPECT_LE(after - time_of_others(), before);
  EXPECT_NE(tree, nullptr);
}

TEST(ProcessorTime, KeepsThatOfThreadsThatHaveEnded) {
  GC_init();
  GC_start_mark_threads();
  GC_gcollect();
  const nanoseconds before = reported();
  GC_deinit();
  EXPECT_GE(reported(), before);
}

TEST(ProcessorTime, BeginsAnewInAChild) {
  setenv("JACKDAW_STRESS", "0", 1);
  GC_init();
  void* volatile tree = new_tree(16);
  for (int i = 0; i < 20; ++i) GC_gcollect();
  const nanoseconds of_parent = reported();
  const pid_t child = fork();
  if (child == 0) {
    const nanoseconds first = reported();
    GC_gcollect();
    const nanoseconds second = reported();
    _exit(first > nanoseconds::zero()                              ? 2
          : second <= nanoseconds::zero()                          ? 3
          : second > base::time_of_clock(CLOCK_PROCESS_CPUTIME_ID) ? 4
                                                                   : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_GE(reported(), of_parent);
  EXPECT_NE(tree, nullptr);
}

}  // namespace
}  // namespace jackdaw::gc
