// Scavenger: what goes back to the system, and when, by a clock that the tests move. Its own thread runs by
// the real one, so most tests have it not start.
#include "gc/process/scavenger.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/page_memory.h"
#include "tests/deny_system_call.h"
#include "tests/gc/process/hidden_lists.h"
#include "tests/kernel_files.h"

namespace jackdaw::gc {
namespace {

using std::chrono::seconds;

constexpr std::size_t kLargeBytes = std::size_t{1} << 20;
constexpr std::size_t kLarge = 64;

Scavenger& scavenger() { return collector().scavenger(); }
const heap::HeapUsage& usage() { return collector().heap().usage(); }

void end_thread() {
  const std::lock_guard lock(collector().lock());
  scavenger().end_thread();
}

// Runs a test on a thread that can start no other.
template <typename Test>
void without_the_thread(Test test) {
  collector();
  std::thread thread([&] {
    collector().threads().this_thread();
    end_thread();
    for (const long call : {SYS_clone, SYS_clone3}) ASSERT_TRUE(deny(call, EAGAIN));
    test();
    EXPECT_FALSE(scavenger().has_thread());
  });
  collector().threads().call_blocked(join_one, &thread);
}

// Returns a time after all that the scavenger was told by other tests.
Scavenger::Clock::time_point later() {
  static Scavenger::Clock::time_point last = Scavenger::Clock::now();
  return last += std::chrono::hours(1);
}

// Lets the scavenger look from `start` on while the program does nothing, for as long as it remembers.
// Returns what the last look said.
std::optional<std::chrono::milliseconds> look_while_idle(Scavenger::Clock::time_point start) {
  for (std::size_t second = 0; second <= MemoryDemand::kIntervals; ++second)
    scavenger().scavenge(start + seconds(second));
  return scavenger().scavenge(start + seconds(MemoryDemand::kIntervals + 1));
}

// These are roots. A stale word in a stack may keep one of them, but not all.
std::array<void*, kLarge> large_objects;

void collect_with_large_objects() {
  for (void*& object : large_objects) {
    object = collector().allocate(kLargeBytes, heap::KindNumber::data);
    std::memset(object, 1, kLargeBytes);
  }
  collector().collect();
  EXPECT_GE(usage().used, kLarge * kLargeBytes);
}

void drop_large_objects() {
  large_objects = {};
  collect_cleanly();
  ASSERT_LT(usage().used, kLarge * kLargeBytes / 2);
}

TEST(Scavenger, GivesBackWhatWasNotNeededLately) {
  without_the_thread([] {
    collect_with_large_objects();
    const auto before = Scavenger::Clock::now();
    drop_large_objects();
    EXPECT_GT(usage().free, kLarge * kLargeBytes / 2) << "it was needed a moment ago";
    EXPECT_TRUE(scavenger().scavenge(before)) << "there will be more to do";
    EXPECT_GT(usage().free, kLarge * kLargeBytes / 2);
    const auto after = Scavenger::Clock::now();
    EXPECT_FALSE(look_while_idle(after + seconds(10))) << "nothing is left to do";
    EXPECT_LT(usage().free, collector().plan().minimum_heap() + heap::HugePages::kBytes);
  });
}

TEST(Scavenger, IsCalledByCollectionsWhereItsThreadCannotStart) {
  without_the_thread([] {
    collect_with_large_objects();
    drop_large_objects();
    scavenger().note_collection(Scavenger::Clock::now() + seconds(10));
    EXPECT_LT(usage().free, kLarge * kLargeBytes / 2);
  });
}

// Returns how many pages of the chunk that an object lies in are in memory.
std::size_t resident_pages(const void* object) {
  heap::Chunk* const chunk = heap::Chunk::of(object);
  std::vector<unsigned char> pages(chunk->total_bytes() / base::page_bytes());
  EXPECT_EQ(mincore(chunk, chunk->total_bytes(), pages.data()), 0);
  return static_cast<std::size_t>(std::ranges::count_if(pages, [](unsigned char page) { return page & 1; }));
}

// Leaves one object of each sixteen, in a table, and returns that.
[[gnu::noinline]] void** make_sparse_blocks(std::size_t count) {
  constexpr std::size_t kBytes = 1000;
  auto** const table =
      static_cast<void**>(collector().allocate(count / 16 * sizeof(void*), heap::KindNumber::words));
  for (std::size_t i = 0; i < count; ++i) {
    auto* const object = static_cast<char*>(collector().allocate(kBytes, heap::KindNumber::data));
    object[0] = object[kBytes - 1] = 1;
    if (i % 16 == 0) table[i / 16] = object;
  }
  return table;
}

TEST(Scavenger, GivesPagesOfPartlyFreeBlocksBackWhenTheProgramIsIdle) {
  if (base::page_bytes() >= heap::kBlockBytes) GTEST_SKIP() << "a block has no whole page";
  without_the_thread([] {
    constexpr std::size_t kObjects = 1 << 16;
    collector().plan().disable();
    void** volatile table = make_sparse_blocks(kObjects);
    const auto start = later();
    const auto look_while_allocating = [&](int second) {
      collector().allocate(kLargeBytes, heap::KindNumber::data);
      scavenger().scavenge(start + seconds(second));
    };
    for (int second = 0; second < 3; ++second) look_while_allocating(second);
    collector().plan().enable();
    void* const object = table[kObjects / 32];
    const std::size_t before = resident_pages(object);
    collect_cleanly();
    look_while_allocating(3);
    EXPECT_GT(resident_pages(object), before / 2) << "it allocates";
    EXPECT_FALSE(look_while_idle(start + seconds(10)));
    EXPECT_LT(resident_pages(object), before / 2);
    EXPECT_EQ(*static_cast<char*>(object), 1);
  });
}

TEST(Scavenger, LooksAgainSoonWhereTheLockIsHeld) {
  const std::lock_guard lock(collector().lock());
  std::thread([] { EXPECT_EQ(scavenger().scavenge(later()), Scavenger::kRetryInterval); }).join();
}

TEST(Scavenger, HasNothingToDoInASmallHeap) {
  without_the_thread([] {
    collector().collect();
    EXPECT_FALSE(look_while_idle(Scavenger::Clock::now() + seconds(10)));
  });
}

void allocate_garbage() {
  for (std::size_t i = 0; i < kLarge / 4; ++i) {
    void* const object = collector().allocate(kLargeBytes, heap::KindNumber::data);
    std::memset(object, 1, kLargeBytes);
  }
}

// A program that allocates slowly would write to all of the room before it collects if that counted for
// ever, and none would go back.
TEST(Scavenger, LetsTheHeapsRoomCountForTheBudgetAsLongAsItStays) {
  without_the_thread([] {
    collect_with_large_objects();
    const auto before = Scavenger::Clock::now();
    drop_large_objects();
    allocate_garbage();
    const heap::Budget& budget = collector().heap().budget();
    scavenger().scavenge(before);
    EXPECT_TRUE(budget.allows(kLargeBytes));
    scavenger().scavenge(Scavenger::Clock::now() + seconds(10));
    EXPECT_FALSE(budget.allows(kLargeBytes));
  });
}

// Memory that was allocated since the collection does not tell what the heap will need.
TEST(Scavenger, NotesTheHeapsUseOnceACollection) {
  without_the_thread([] {
    collect_with_large_objects();
    drop_large_objects();
    allocate_garbage();
    scavenger().note_swept();
    scavenger().scavenge(Scavenger::Clock::now() + seconds(10));
    EXPECT_LT(collector().plan().found().heap_bytes, kLarge / 4 * kLargeBytes);
  });
}

// The sweep of a cycle may be noted late.
TEST(Scavenger, ExpectsNoMoreUseWhereTheBudgetIsSpent) {
  without_the_thread([] {
    collect_cleanly();
    collector().plan().disable();
    const std::uint64_t at_first = collector().plan().expected_use();
    allocate_garbage();
    EXPECT_LT(collector().plan().expected_use(), at_first + kLargeBytes);
    collector().plan().enable();
  });
}

// Files in which threads wait for memory all the time, or never, from `start` on: scavenges twice, a second
// apart.
void look_twice(const KernelFiles& files, Scavenger::Clock::time_point start, bool is_short) {
  for (const int second : {0, 1}) {
    files.write("proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=" +
                                            std::to_string(is_short ? 1'000'000 * second : 0) + "\n");
    scavenger().scavenge(start + seconds(second));
  }
}

// The scavenger has no thread, since the program has the collector mark on one though it has two processors.
class ScavengerUnderPressure : public testing::TestWithParam<bool> {
 protected:
  ScavengerUnderPressure() {
    ProcessOptions& options = ProcessCollector::initial_options();
    options.kernel_folders = files_.folders();
    options.marking.engine.threads = 1;
    options.marking.engine.processors = 2;
  }
  void look_twice_now() { look_twice(files_, Scavenger::Clock::now(), GetParam()); }

 private:
  KernelFiles files_;
};

TEST_P(ScavengerUnderPressure, GivesAllFreeMemoryBackAtOnce) {
  collect_with_large_objects();
  drop_large_objects();
  look_twice_now();
  EXPECT_EQ(usage().free < collector().plan().minimum_heap() + heap::HugePages::kBytes, GetParam());
}

TEST_P(ScavengerUnderPressure, HasTheNextThreadThatAllocatesCollect) {
  collect_with_large_objects();
  allocate_garbage();
  const std::uint64_t wanted = collector().collections() + (GetParam() ? 1 : 0);
  look_twice_now();
  collector().allocate(kLargeBytes, heap::KindNumber::data);
  EXPECT_EQ(collector().collections(), wanted);
  EXPECT_LT(usage().free, 2 * heap::HugePages::kBytes) << "what it frees goes back";
  collector().allocate(kLargeBytes, heap::KindNumber::data);
  EXPECT_EQ(collector().collections(), wanted) << "once is enough";
}

TEST_P(ScavengerUnderPressure, CollectsNothingWhereCollectionsAreDisabled) {
  collect_with_large_objects();
  collector().plan().disable();
  allocate_garbage();
  const std::uint64_t before = collector().collections();
  look_twice_now();
  allocate_garbage();
  EXPECT_EQ(collector().collections(), before);
  collector().plan().enable();
}

TEST_P(ScavengerUnderPressure, LooksAtNoneWhereItShallLookAtNoLimits) {
  ProcessCollector::initial_options().fits_memory = false;
  collect_with_large_objects();
  drop_large_objects();
  const std::uint64_t free = usage().free;
  look_twice_now();
  EXPECT_EQ(usage().free, free);
}

INSTANTIATE_TEST_SUITE_P(MemoryIs, ScavengerUnderPressure, testing::Bool(),
                         [](const auto& info) { return info.param ? "Short" : "Enough"; });

void wait_for_the_thread_to_give_back() {
  collector().threads().call_blocked(
      [](void*) {
        while (usage().free >= kLarge * kLargeBytes / 2)
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
      },
      nullptr);
}

TEST(Scavenger, HasAThreadThatStartsWhenMuchIsFree) {
  end_thread();
  collector().collect();
  EXPECT_FALSE(scavenger().has_thread());
  for (int round = 0; round < 2; ++round) {
    collect_with_large_objects();
    drop_large_objects();
    EXPECT_TRUE(scavenger().has_thread());
    wait_for_the_thread_to_give_back();
  }
  end_thread();
  EXPECT_FALSE(scavenger().has_thread());
}

// No collection tells the scavenger. In the second round its thread may rest.
TEST(Scavenger, HasAThreadThatStartsWhenMuchIsFreedByHand) {
  end_thread();
  collect_with_large_objects();
  EXPECT_FALSE(scavenger().has_thread());
  collector().plan().disable();
  for (int round = 0; round < 2; ++round) {
    for (void*& object : large_objects) {
      if (round != 0) object = collector().allocate(kLargeBytes, heap::KindNumber::data);
      std::memset(object, 1, kLargeBytes);
    }
    for (void*& object : large_objects) collector().free(std::exchange(object, nullptr));
    EXPECT_TRUE(scavenger().has_thread());
    wait_for_the_thread_to_give_back();
  }
  collector().plan().enable();
  end_thread();
}

TEST(Scavenger, HasAThreadThatStartsWhenLargeObjectsAreShortened) {
  end_thread();
  collect_with_large_objects();
  collector().plan().disable();
  EXPECT_FALSE(scavenger().has_thread());
  for (void* const object : large_objects)
    EXPECT_TRUE(collector().resize_large(static_cast<heap::Object*>(object), kLargeBytes / 8));
  ASSERT_TRUE(scavenger().has_thread());
  wait_for_the_thread_to_give_back();
  collector().plan().enable();
  drop_large_objects();
  end_thread();
}

TEST(Scavenger, GivesBackWhileOthersAllocateAndCollect) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (!stop.load()) {
        Link* volatile list = new_list(kLength);
        make_sparse_blocks(4096);
        collector().collect();
        expect_intact(list, kLength);
      }
    });
  }
  const auto start = Scavenger::Clock::now();
  for (int step = 0; step < 300; ++step) {
    scavenger().scavenge(start + step * seconds(10));
    std::this_thread::yield();
  }
  stop.store(true);
  collector().threads().call_blocked(join_all, &threads);
}

}  // namespace
}  // namespace jackdaw::gc
