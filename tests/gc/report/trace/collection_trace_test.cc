// Traces of this process's collections, compared with the log and the collector's counts.
#include "gc/report/trace/collection_trace.h"

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "gc/marking/collection.h"
#include "gc/marking/mark_engine.h"
#include "heap/allocator.h"
#include "tests/address_space_limit.h"
#include "tests/base/taken_numbers.h"
#include "tests/gc/process/concurrent/concurrent_program.h"
#include "tests/gc/process/hidden_lists.h"
#include "tests/gc/report/trace/read_trace.h"
#include "tests/scaled.h"
#include "tests/temporary_folder.h"

namespace jackdaw::gc {
namespace {

class CollectionTraceTest : public testing::Test {
 protected:
  // The process's collector is made from now on.
  void start(const char* trace_name = "trace") const {
    setenv("JACKDAW_TRACE", path(trace_name).c_str(), 1);
    setenv("JACKDAW_LOG", "1", 1);
    setenv("JACKDAW_LOG_FILE", path("log").c_str(), 1);
    GC_init();
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.file(name); }
  [[nodiscard]] ReadTrace trace() const { return ReadTrace(path("trace")); }
  // Returns the values of a word in the lines of the log.
  [[nodiscard]] std::vector<std::string> logged(const std::string& word) const {
    std::vector<std::string> values;
    std::ifstream log(path("log"));
    for (std::string field; log >> field;) {
      if (field.starts_with(word + "=")) values.push_back(field.substr(word.size() + 1));
    }
    return values;
  }
  [[nodiscard]] std::uint64_t sum_logged(const std::string& word) const {
    std::uint64_t sum = 0;
    for (const std::string& value : logged(word)) sum += std::stoull(value);
    return sum;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(CollectionTraceTest, HasEachCollectionWithItsPhases) {
  start();
  for (int i = 0; i < 3; ++i) {
    GC_reachable_here(new_list(kLength));
    GC_gcollect();
  }
  const ReadTrace read = trace();
  read.expect_in_order();
  const auto collections = read.events("B", "collection");
  ASSERT_EQ(collections.size(), GC_get_gc_no());
  const std::vector<std::string> numbers = logged("collection");
  const std::vector<std::string> reasons = logged("reason");
  for (std::size_t i = 0; i < collections.size(); ++i) {
    EXPECT_EQ(collections[i]["args"]["number"].dump(), numbers[i]);
    EXPECT_EQ(collections[i]["args"]["reason"], reasons[i]);
  }
  for (const char* phase : {"pause", "stop threads", "clear marks", "mark", "finish", "sweep"})
    EXPECT_EQ(read.count("B", phase), collections.size()) << phase;
  EXPECT_EQ(read.events("C", "live").back()["args"]["bytes"], collector().counters().live_bytes());
}

TEST_F(CollectionTraceTest, HasTheStopOfEachThread) {
  start();
  constexpr int kThreads = 3;
  std::atomic<int> ready{0};
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      GC_reachable_here(new_link(nullptr, 0));
      ++ready;
      while (!is_over.load()) GC_reachable_here(GC_malloc(16));
    });
  }
  while (ready.load() != kThreads) StopProtocol::safepoint();
  for (int i = 0; i < 3; ++i) GC_gcollect();
  is_over.store(true);
  collector().threads().call_blocked(join_all, &threads);
  GC_gcollect();
  const ReadTrace read = trace();
  read.expect_in_order();
  EXPECT_GE(sum_logged("stopped_threads"), 3U * kThreads);
  EXPECT_EQ(read.count("X", "stop"), sum_logged("stopped_threads"));
  EXPECT_EQ(read.count("X", "stopped"), sum_logged("stopped_threads"));
}

TEST_F(CollectionTraceTest, HasTheStopsOfACycle) {
  if (!tracks_writes()) GTEST_SKIP() << "the system does not tell what was written";
  setenv("JACKDAW_CONCURRENT", "1", 1);
  setenv("JACKDAW_PAUSE_MS", "0", 1);
  start();
  for (int i = 0; i < 3; ++i) run_cycle();
  const ReadTrace read = trace();
  read.expect_in_order();
  const std::size_t cycles = logged("stops").size();
  EXPECT_GE(cycles, 3U);
  EXPECT_EQ(read.count("B", "cycle"), cycles);
  EXPECT_EQ(read.count("B", "sweep concurrently"), cycles);
  EXPECT_EQ(read.count("B", "collection"), GC_get_gc_no());
  EXPECT_EQ(read.count("B", "pause"), sum_logged("stops") + cycles + GC_get_gc_no());
  EXPECT_EQ(read.count("B", "re-mark"), sum_logged("rounds") + cycles);
}

// The phases, and the spans of workers, of a heap that several threads mark.
TEST_F(CollectionTraceTest, StealsAreThoseThatTheCollectorCounts) {
  const std::string file = path("trace");
  CollectionTrace trace(file, 4);
  heap::Heap heap(std::size_t{256} << 20);
  heap::Allocator allocator(heap);
  const auto new_object = [&] {
    return allocator.allocate_plain(2 * heap::kWordBytes, heap::KindNumber::words);
  };
  std::vector<heap::Object*> level{new_object()};
  heap::Object* const root = level.front();
  const auto nodes = mark::scaled(400000);
  for (std::size_t count = 1; count < nodes; count += level.size()) {
    std::vector<heap::Object*> next;
    for (heap::Object* const parent : level) {
      for (const unsigned slot : {0U, 1U}) next.push_back(*parent->slot(slot) = new_object());
    }
    level.swap(next);
  }
  MarkingOptions options;
  options.engine.threads = options.engine.processors = 4;
  options.engine.time_line = trace.workers();
  options.engine.tuning.serial_references = 100;
  const auto marking = make_mark_engine(options);
  Collection collection(heap);
  mark::WorkerStatistics counted;
  for (int i = 0; i < 100 && counted.steals == 0; ++i) {
    collection.begin(*marking);
    collection.mark(std::array{root});
    collection.sweep(heap::OwnedBlocks::taken_back);
    counted.add(mark::total(collection.finish(std::chrono::steady_clock::now()).workers));
  }
  EXPECT_NE(counted.steals, 0U);
  trace.write();
  const ReadTrace read(file);
  read.expect_in_order();
  const auto steals = read.events("X", "steal");
  EXPECT_EQ(steals.size(), counted.steals);
  const auto tasks = [](std::uint64_t sum, const ReadTrace::Event& steal) {
    return sum + steal["args"]["tasks"].get<std::uint64_t>();
  };
  EXPECT_EQ(std::accumulate(steals.begin(), steals.end(), std::uint64_t{0}, tasks), counted.tasks_stolen);
}

TEST_F(CollectionTraceTest, AChildWritesAFileOfItsOwnWhereThePathHasItsNumber) {
  if (mark::kSanitized) GTEST_SKIP() << "a child may inherit the locks of the sanitizer's malloc";
  start("of_%p%%");
  GC_gcollect();
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 2; ++i) GC_gcollect();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  GC_gcollect();
  GC_gcollect();
  const std::string of_child = path("of_" + std::to_string(child) + "%");
  const std::string own = path("of_" + std::to_string(getpid()) + "%");
  EXPECT_EQ(ReadTrace(of_child).count("B", "collection"), 2U);
  EXPECT_EQ(ReadTrace(own).count("B", "collection"), 3U);
}

TEST_F(CollectionTraceTest, AChildWritesNothingWhereThePathIsTheSame) {
  if (mark::kSanitized) GTEST_SKIP() << "a child may inherit the locks of the sanitizer's malloc";
  start();
  GC_gcollect();
  const pid_t child = fork();
  if (child == 0) {
    GC_gcollect();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  GC_gcollect();
  EXPECT_EQ(trace().count("B", "collection"), 2U);
}

TEST_F(CollectionTraceTest, TheProgramGoesOnWhereTheFileCannotBeWritten) {
  testing::internal::CaptureStderr();
  start("no/such/folder");
  GC_gcollect();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "jackdaw: the trace '" + path("no/such/folder") +
                                                        "' cannot be written (No such file or directory)\n");
  EXPECT_EQ(GC_get_gc_no(), 1U);
}

TEST_F(CollectionTraceTest, TheProgramGoesOnWhereThereIsNoMemory) {
  if (mark::kSanitized) GTEST_SKIP() << "the sanitizer needs addresses itself";
  const std::string file = path("trace");
  testing::internal::CaptureStderr();
  {
    const AddressSpaceLimit no_memory(0);
    CollectionTrace trace(file, 64);
    const CollectionTrace::Span span(trace, TracePhase::sweep);
    trace.write();
    EXPECT_EQ(trace.workers(), nullptr);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "jackdaw: no memory for the trace '" + file + "'\n");
}

TEST_F(CollectionTraceTest, LeavesTheFileOfAnotherProcessAlone) {
  const std::string file = path("trace");
  CollectionTrace first(file, 1);
  const CollectionTrace::Span span(first, TracePhase::sweep);
  testing::internal::CaptureStderr();
  CollectionTrace(file, 1).write();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "jackdaw: the trace '" + file +
                "' cannot be written (another process writes it: %p in the path gives each its own)\n");
  first.write();
  EXPECT_EQ(trace().count("B", "sweep"), 1U);
}

TEST_F(CollectionTraceTest, SaysWhatItHadNoRoomForAndKeepsPhasesInOrder) {
  const std::string file = path("trace");
  CollectionTrace trace(file, 1);
  constexpr std::uint64_t kMany = 10000;
  for (std::uint64_t i = 0; i < kMany; ++i) {
    const CollectionTrace::Span outer(trace, TracePhase::pause);
    const CollectionTrace::Span inner(trace, TracePhase::mark);
    trace.count(TraceCounter::live, i);
  }
  trace.write();
  const ReadTrace read(file);
  read.expect_in_order();
  std::uint64_t events = read.count("C", "live");
  for (const char* phase : {"pause", "mark"}) events += read.count("B", phase) + read.count("E", phase);
  const auto dropped = read.events("i", "dropped events");
  ASSERT_EQ(dropped.size(), 1U);
  EXPECT_EQ(events + dropped[0]["args"]["count"].get<std::uint64_t>(), 5 * kMany);
  EXPECT_GT(events, kMany);
}

TEST_F(CollectionTraceTest, EndsWhereTheProgramHasTakenItsNumber) {
  CollectionTrace trace(path("trace"), 1);
  testing::internal::CaptureStderr();
  {
    const base::TakenNumbers taken(path("of the program"));
    for (int i = 0; i < 3; ++i) {
      trace.count(TraceCounter::live, 1);
      trace.write();
    }
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "jackdaw: the trace ends here: it cannot be written (the program has closed its number)\n");
  EXPECT_EQ(std::filesystem::file_size(path("of the program")), 0U);
}

TEST_F(CollectionTraceTest, WaitsForNoReaderOfAPipe) {
  ASSERT_EQ(mkfifo(path("trace").c_str(), 0600), 0);
  testing::internal::CaptureStderr();
  start();
  GC_gcollect();
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "jackdaw: the trace '" + path("trace") + "' cannot be written (it is a pipe that nobody reads)\n");
  EXPECT_EQ(GC_get_gc_no(), 1U);
}

TEST_F(CollectionTraceTest, EndsWhereTheFileCannotGrow) {
  const std::string file = path("trace");
  CollectionTrace trace(file, 1);
  const rlimit one_page{4096, 4096};
  setrlimit(RLIMIT_FSIZE, &one_page);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 100; ++j) trace.count(TraceCounter::live, 1);
    trace.write();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "jackdaw: the trace ends here: it cannot be written (File too large)\n");
}

}  // namespace
}  // namespace jackdaw::gc
