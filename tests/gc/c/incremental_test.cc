// Incremental collection: how a program and its environment ask for it or forbid it, and what happens where
// the system refuses.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "gc/c/undeclared.h"
#include "machine/usable_processors.h"
#include "tests/deny_system_call.h"
#include "tests/gc/c/hidden.h"
#include "tests/gc/process/concurrent/concurrent_program.h"

namespace jackdaw::c_interface {
namespace {

using gc::Phase;
using gc::phase;

// With a log of its collections.
class CIncremental : public testing::Test {
 protected:
  CIncremental() : log_(testing::TempDir() + "incremental_" + std::to_string(getpid())) {
    setenv("JACKDAW_PAUSE_MS", "0", 1);
    setenv("JACKDAW_LOG", "1", 1);
    setenv("JACKDAW_LOG_FILE", log_.c_str(), 1);
  }
  ~CIncremental() override { unlink(log_.c_str()); }

  void SetUp() override {
    if (!gc::tracks_writes()) GTEST_SKIP() << "the system does not tell what was written";
  }
  [[nodiscard]] std::size_t collections_while_it_runs() const {
    std::ifstream log(log_);
    std::size_t count = 0;
    for (std::string line; std::getline(log, line);)
      count += line.find(" concurrent_ms=") != std::string::npos ? 1 : 0;
    return count;
  }

 private:
  const std::string log_;
};

void collect_by_allocating(GC_word collections) {
  const GC_word wanted = GC_get_gc_no() + collections;
  gc::allocate_until([wanted] { return GC_get_gc_no() >= wanted; });
}

// ---- Program and environment ----

TEST_F(CIncremental, IsForThoseWhoAskForIt) {
  EXPECT_EQ(GC_is_incremental_mode(), 0);
  GC_init();
  EXPECT_EQ(GC_is_incremental_mode(), 0);
  GC_start_incremental_collection();
  EXPECT_EQ(phase(), Phase::idle);
  collect_by_allocating(3);
  EXPECT_EQ(collections_while_it_runs(), 0U);
  GC_enable_incremental();
  EXPECT_EQ(GC_is_incremental_mode(), 1);
  const std::vector<Hidden> dropped = drop_many(1000);
  gc::run_cycle();
  EXPECT_GT(collections_while_it_runs(), 0U);
  gc::run_cycle();
  EXPECT_LT(count_there(dropped), kManyObjects);
  GC_enable_incremental();
  EXPECT_EQ(GC_is_incremental_mode(), 1);
  EXPECT_EQ(GC_incremental_protection_needs(), GC_PROTECTS_NONE);
}

TEST_F(CIncremental, InitialisesTheCollector) {
  GC_enable_incremental();
  EXPECT_EQ(GC_is_init_called(), 1);
  EXPECT_EQ(GC_is_incremental_mode(), 1);
  gc::run_cycle();
  EXPECT_GT(collections_while_it_runs(), 0U);
}

// In the midst of a cycle, whose pages must not count as unwritten.
TEST_F(CIncremental, MayBeAskedForAtAnyTime) {
  GC_enable_incremental();
  for (const Phase in : {Phase::marking, Phase::marked, Phase::sweeping}) {
    const gc::HeldCycle cycle(in);
    GC_enable_incremental();
    EXPECT_EQ(phase(), in);
    EXPECT_EQ(GC_is_incremental_mode(), 1);
  }
}

class CIncrementalByEnvironment : public CIncremental {
 protected:
  void expect_to_be_on() {
    GC_init();
    EXPECT_EQ(GC_is_incremental_mode(), 1);
    gc::run_cycle();
    EXPECT_GT(collections_while_it_runs(), 0U);
  }
  // No line is printed: the environment asked for this.
  void expect_to_be_off() {
    testing::internal::CaptureStderr();
    GC_enable_incremental();
    EXPECT_EQ(GC_is_incremental_mode(), 0);
    collect_by_allocating(3);
    EXPECT_EQ(collections_while_it_runs(), 0U);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  }
};

TEST_F(CIncrementalByEnvironment, IsOn) {
  setenv("JACKDAW_CONCURRENT", "1", 1);
  expect_to_be_on();
}
TEST_F(CIncrementalByEnvironment, IsOnByLibgcsName) {
  setenv("GC_ENABLE_INCREMENTAL", "", 1);
  expect_to_be_on();
}
TEST_F(CIncrementalByEnvironment, IsForbidden) {
  setenv("JACKDAW_CONCURRENT", "0", 1);
  setenv("GC_ENABLE_INCREMENTAL", "", 1);
  expect_to_be_off();
}
TEST_F(CIncrementalByEnvironment, IsForbiddenByLibgcsName) {
  setenv("GC_DISABLE_INCREMENTAL", "", 1);
  expect_to_be_off();
}

// ---- Where neither asks ----

// Collections stop the program for long, as its procedure for roots takes its time, though not where a cycle
// ends. Much is live, of which nothing need be visited, and the program allocates slowly.
class CIncrementalByDefault : public CIncremental {
 protected:
  // More than is tolerated where writes to tracked pages take long, too.
  static constexpr std::chrono::milliseconds kLong{40};
  static constexpr GC_word kEnough = 6;

  void SetUp() override {
    CIncremental::SetUp();
    if (machine::usable_processors() < 2) GTEST_SKIP() << "the program runs on the only processor";
    setenv("JACKDAW_PAUSE_MS", "1", 1);
    setenv("JACKDAW_MINIMUM_BUDGET", "256k", 1);
    setenv("JACKDAW_FREE_SPACE_DIVISOR", "1000", 1);
  }
  static void begin() {
    GC_init();
    live_ = GC_malloc_atomic(std::size_t{256} << 20);
    GC_set_push_other_roots([] {
      if (phase() == Phase::idle) std::this_thread::sleep_for(kLong);
    });
  }
  static std::size_t open_files() {
    using Files = std::filesystem::directory_iterator;
    return static_cast<std::size_t>(std::distance(Files("/proc/self/fd"), Files()));
  }
  static bool has_thread() { return collector().concurrent_marking().has_thread(); }
  template <typename Condition>
  static void allocate_slowly_until(Condition holds) {
    gc::allocate_until([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      return holds();
    });
  }
  static void collect_by_allocating_slowly(GC_word collections) {
    const GC_word wanted = GC_get_gc_no() + collections;
    allocate_slowly_until([wanted] { return GC_get_gc_no() >= wanted; });
  }
  static void expect_to_begin() {
    allocate_slowly_until([] { return phase() != Phase::idle; });
    EXPECT_TRUE(has_thread());
  }
  // In silence, and it costs nothing.
  static void expect_to_stop_the_program() {
    const std::size_t files = open_files();
    testing::internal::CaptureStderr();
    collect_by_allocating_slowly(kEnough);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_FALSE(has_thread());
    EXPECT_EQ(open_files(), files);
  }

 private:
  inline static void* volatile live_ = nullptr;
};

TEST_F(CIncrementalByDefault, BeginsWhereCollectionsStopTheProgramForLong) {
  begin();
  collect_by_allocating_slowly(1);
  EXPECT_FALSE(has_thread()) << "one collection may have waited for a processor";
  expect_to_begin();
  EXPECT_EQ(GC_is_incremental_mode(), 0) << "the program did not ask for it";
  gc::finish_cycle();
  EXPECT_GE(collections_while_it_runs(), 1U);
}

TEST_F(CIncrementalByDefault, IsLeftOutWhereCollectionsAreShort) {
  setenv("JACKDAW_PAUSE_MS", "10000", 1);
  begin();
  expect_to_stop_the_program();
}

// It would have another collection soon, and its heap would grow. Collections take more than ten times as
// long as a pause may, and not twenty times: the longest so far says how long that is on a machine that is
// busy, and what is allocated takes no time. No switch may make collections longer: a second marking looks
// for the program's roots once more.
TEST_F(CIncrementalByDefault, IsLeftOutWhereMuchIsAllocatedMeanwhile) {
  for (const char* const name : {"JACKDAW_VERIFY", "JACKDAW_POISON", "JACKDAW_STRESS"}) unsetenv(name);
  setenv("JACKDAW_PAUSE_MS", "1000", 1);
  begin();
  GC_set_push_other_roots([] { std::this_thread::sleep_for(5 * kLong); });
  const std::size_t files = open_files();
  for (GC_word i = 0; i < kEnough; ++i) {
    GC_incr_bytes_allocd(std::size_t{1} << 30);
    collect_by_allocating(1);
    const auto longest = collector().counters().longest_pause();
    if (i > 0) GC_set_time_limit(static_cast<unsigned long>(longest / std::chrono::milliseconds(12)));
  }
  EXPECT_FALSE(has_thread());
  EXPECT_EQ(open_files(), files);
}

TEST_F(CIncrementalByDefault, IsForbidden) {
  setenv("JACKDAW_CONCURRENT", "0", 1);
  begin();
  expect_to_stop_the_program();
}

// The first collection starts the threads that mark: with UndefinedBehaviorSanitizer that needs descriptors.
TEST_F(CIncrementalByDefault, IsLeftOutWhereNothingTellsOfWrites) {
  begin();
  collect_by_allocating_slowly(1);
  rlimit files{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
  const std::size_t open = open_files();
  testing::internal::CaptureStderr();
  {
    const rlimit none{0, files.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    collect_by_allocating_slowly(kEnough);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_FALSE(has_thread());
  EXPECT_EQ(open_files(), open);
  collect_by_allocating_slowly(kEnough);
  EXPECT_FALSE(has_thread()) << "nor later";
  GC_enable_incremental();
  EXPECT_EQ(GC_is_incremental_mode(), 1) << "the program asks";
}

// A filter may end the process for a call that it does not know.
TEST_F(CIncrementalByDefault, IsLeftOutWhereSystemCallsAreFiltered) {
  begin();
  if (!deny(SYS_acct, EPERM)) GTEST_SKIP() << "system calls cannot be denied";
  expect_to_stop_the_program();
  GC_enable_incremental();
  EXPECT_EQ(GC_is_incremental_mode(), 1) << "the program asks";
  gc::run_cycle();
}

// The last pause takes longer by far than any in which all was marked, however busy the machine is. The next
// eight collections are counted from the cycle on: one may come as soon as its sweep is over.
TEST_F(CIncrementalByDefault, MakesWayForLongWhereItDoesNotHelp) {
  static GC_word cycle = 0;
  begin();
  GC_set_push_other_roots([] {
    if (phase() != Phase::idle) cycle = GC_get_gc_no() + 1;
    std::this_thread::sleep_for(phase() == Phase::idle ? kLong : 4 * collector().counters().longest_pause());
  });
  expect_to_begin();
  gc::finish_cycle();
  EXPECT_EQ(collections_while_it_runs(), 1U);
  allocate_slowly_until([] { return GC_get_gc_no() >= cycle + 8; });
  EXPECT_EQ(GC_get_gc_no(), cycle + 8);
  EXPECT_EQ(collections_while_it_runs(), 1U);
}

TEST_F(CIncrementalByDefault, IsNotForCollectionsThatTheProgramAsksFor) {
  begin();
  collect_by_allocating_slowly(kEnough);
  gc::finish_cycle();
  const GC_word before = GC_get_gc_no();
  GC_incr_bytes_allocd(std::size_t{1} << 30);
  EXPECT_EQ(GC_collect_a_little(), 0);
  EXPECT_EQ(GC_get_gc_no(), before + 1) << "a whole one";
  GC_start_incremental_collection();
  EXPECT_EQ(phase(), Phase::idle);
}

// ---- A collection step by step ----

void do_what_is_left() {
  while (GC_collect_a_little() != 0) continue;
}

TEST_F(CIncremental, BeginsWhenTheProgramSays) {
  GC_enable_incremental();
  GC_disable();
  GC_start_incremental_collection();
  EXPECT_EQ(phase(), Phase::idle);
  GC_enable();
  const GC_word before = GC_get_gc_no();
  GC_start_incremental_collection();
  EXPECT_NE(phase(), Phase::idle);
  GC_start_incremental_collection();
  do_what_is_left();
  EXPECT_EQ(phase(), Phase::idle);
  EXPECT_EQ(GC_get_gc_no(), before + 1);
  EXPECT_EQ(collections_while_it_runs(), 1U);
}

TEST_F(CIncremental, GoesOnByALittleWhenACollectionIsDue) {
  GC_enable_incremental();
  do_what_is_left();
  const GC_word before = GC_get_gc_no();
  EXPECT_EQ(GC_collect_a_little(), 0) << "nothing was allocated";
  EXPECT_EQ(phase(), Phase::idle);
  GC_incr_bytes_allocd(std::size_t{1} << 30);
  EXPECT_EQ(GC_collect_a_little(), 1);
  EXPECT_NE(phase(), Phase::idle);
  EXPECT_EQ(GC_get_gc_no(), before);
  do_what_is_left();
  EXPECT_EQ(phase(), Phase::idle);
  EXPECT_EQ(GC_get_gc_no(), before + 1);
  EXPECT_EQ(collections_while_it_runs(), 1U);
}

TEST_F(CIncremental, EndsWhenCollectionsAreDisabledAfterIt) {
  GC_enable_incremental();
  for (const Phase in : {Phase::marking, Phase::marked}) {
    const GC_word before = GC_get_gc_no();
    GC_start_incremental_collection();
    ASSERT_NE(phase(), Phase::idle);
    if (in == Phase::marked) gc::await_end_of(Phase::marking);
    GC_finish_and_disable();
    EXPECT_EQ(phase(), Phase::idle);
    EXPECT_EQ(GC_get_gc_no(), before + 1) << "it was not given up";
    EXPECT_NE(GC_is_disabled(), 0);
    GC_gcollect();
    EXPECT_EQ(GC_get_gc_no(), before + 1);
    GC_enable();
    EXPECT_EQ(GC_is_disabled(), 0);
  }
}

TEST_F(CIncremental, NeedNotBeUnderWayToBeDisabled) {
  GC_finish_and_disable();
  GC_init();
  EXPECT_NE(GC_is_disabled(), 0);
  GC_finish_and_disable();
  GC_enable();
  EXPECT_NE(GC_is_disabled(), 0) << "calls nest";
  GC_enable();
  EXPECT_EQ(GC_is_disabled(), 0);
}

TEST_F(CIncremental, TellsHowItLearnsOfWrites) {
  const unsigned supported = GC_get_supported_vdbs();
  EXPECT_EQ(GC_is_init_called(), 0);
  EXPECT_EQ(supported, static_cast<unsigned>(GC_VDB_SOFT | GC_VDB_UFFDWP));
  EXPECT_EQ(GC_get_actual_vdb(), static_cast<unsigned>(GC_VDB_NONE));
  GC_enable_incremental();
  const unsigned actual = GC_get_actual_vdb();
  EXPECT_TRUE(actual == GC_VDB_SOFT || actual == GC_VDB_UFFDWP) << actual;
}

TEST_F(CIncremental, MayNeverProtectPages) {
  EXPECT_NE(GC_get_mprotect_vdb_allowed(), 0);
  GC_set_mprotect_vdb_allowed(0);
  EXPECT_EQ(GC_get_mprotect_vdb_allowed(), 0);
}

// ---- Where the system refuses ----

constexpr const char* kRefused =
    "jackdaw: cannot mark while the program runs: the system does not tell which pages are written; "
    "collections stop the program instead\n";

// Neither what Linux 6.7 has nor soft-dirty bits.
bool deny_write_tracking() { return deny(SYS_userfaultfd, EPERM) && deny(SYS_pread64, EPERM); }

TEST_F(CIncremental, IsRefusedWithALineWhereNothingTellsOfWrites) {
  if (!deny_write_tracking()) GTEST_SKIP() << "system calls cannot be denied";
  testing::internal::CaptureStderr();
  GC_enable_incremental();
  EXPECT_EQ(GC_is_incremental_mode(), 0);
  GC_enable_incremental();
  GC_start_incremental_collection();
  EXPECT_EQ(phase(), Phase::idle);
  collect_by_allocating(3);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), kRefused);
  EXPECT_EQ(collections_while_it_runs(), 0U);
}

// Found out when the first cycle is to begin.
TEST_F(CIncrementalByEnvironment, IsRefusedWithALineWhereNothingTellsOfWrites) {
  if (!deny_write_tracking()) GTEST_SKIP() << "system calls cannot be denied";
  setenv("JACKDAW_CONCURRENT", "1", 1);
  testing::internal::CaptureStderr();
  GC_init();
  GC_incr_bytes_allocd(std::size_t{1} << 30);
  EXPECT_EQ(GC_collect_a_little(), 0);
  EXPECT_EQ(GC_get_gc_no(), 1U) << "a whole one instead";
  EXPECT_EQ(GC_is_incremental_mode(), 0);
  GC_enable_incremental();
  collect_by_allocating(3);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), kRefused);
  EXPECT_EQ(collections_while_it_runs(), 0U);
}

// ---- Settings ----

std::chrono::milliseconds pause_target() { return collector().concurrent_marking().pause_target(); }
constexpr std::chrono::milliseconds kUsualTarget{5};

TEST(CTimeLimit, IsThatOfThePausesWhenItIsSet) {
  EXPECT_EQ(GC_get_time_limit(), static_cast<unsigned long>(GC_TIME_UNLIMITED));
  EXPECT_EQ(pause_target(), kUsualTarget);
  GC_set_time_limit(GC_TIME_UNLIMITED);
  EXPECT_EQ(pause_target(), kUsualTarget);
  GC_set_time_limit(20);
  EXPECT_EQ(pause_target(), std::chrono::milliseconds(20));
  GC_set_time_limit_tv({5, 7});
  EXPECT_EQ(GC_get_time_limit(), 5U);
  EXPECT_EQ(GC_get_time_limit_tv().tv_ms, 5U);
  EXPECT_EQ(GC_get_time_limit_tv().tv_nsec, 7U);
  EXPECT_EQ(pause_target(), std::chrono::milliseconds(5));
  GC_set_time_limit(0);
  EXPECT_EQ(GC_get_time_limit(), 0U);
  EXPECT_EQ(pause_target(), std::chrono::milliseconds(0));
}

TEST(CTimeLimit, MayBeSetBeforeTheStart) {
  GC_set_time_limit(20);
  EXPECT_EQ(GC_is_init_called(), 0);
  GC_init();
  EXPECT_EQ(GC_get_time_limit(), 20U);
  EXPECT_EQ(pause_target(), std::chrono::milliseconds(20));
}

TEST(CTimeLimit, IsThatOfTheEnvironmentUnlessTheProgramChangesIt) {
  GC_set_time_limit(20);
  setenv("GC_PAUSE_TIME_TARGET", "30", 1);
  EXPECT_EQ(pause_target(), std::chrono::milliseconds(30));
  GC_set_time_limit(GC_TIME_UNLIMITED);
  EXPECT_EQ(pause_target(), std::chrono::milliseconds(30));
  GC_set_time_limit(40);
  EXPECT_EQ(pause_target(), std::chrono::milliseconds(40));
}

TEST(CIncrementalSettings, AreReadBack) {
  EXPECT_EQ(GC_get_full_freq(), 19);
  GC_set_full_freq(2);
  EXPECT_EQ(GC_get_full_freq(), 2);
  GC_set_rate(3);
  EXPECT_EQ(GC_get_rate(), 3);
  GC_set_max_prior_attempts(4);
  EXPECT_EQ(GC_get_max_prior_attempts(), 4);
  GC_set_manual_vdb_allowed(5);
  EXPECT_EQ(GC_get_manual_vdb_allowed(), 1);
  auto** const slot = static_cast<void**>(GC_malloc(sizeof(void*)));
  GC_ptr_store_and_dirty(slot, slot);
  EXPECT_EQ(*slot, slot);
}

}  // namespace
}  // namespace jackdaw::c_interface
