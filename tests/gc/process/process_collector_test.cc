// ProcessCollector: what stacks and registers lead to stays; the rest goes;
// threads may be anywhere when a collection comes.
#include "gc/process/process_collector.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "base/sanitizers.h"
#include "gc/process/threads/stops_by_signal.h"
#include "tests/gc/process/hidden_lists.h"
#include "tests/gc/process/sleeping_thread.h"
#include "tests/scaled.h"

namespace jackdaw::gc {
namespace {

using heap::KindNumber;

// The second of two collections costs much if little time lies between them, and not if it comes late.
TEST(ProcessCollector, LetsTheHeapGrowWhereCollectionsTakeMuchOfTheTime) {
  using std::chrono::hours;
  const std::lock_guard lock(collector().lock());
  CollectionPlan& plan = collector().plan();
  const auto now = std::chrono::steady_clock::now();
  const auto cost_after = [&](hours start) {
    plan.note_stopped(now + start, std::chrono::seconds(1), 0, 0);
    return plan.found().cost;
  };
  EXPECT_EQ(cost_after(hours(-1)), 1U);
  EXPECT_EQ(cost_after(hours(-1)), 2U);
  EXPECT_EQ(cost_after(hours(1)), 1U);
}

// The thread that collects may lose its processor to those that it resumes. Here a hook takes more time then
// than all that came before.
TEST(ProcessCollector, CountsNoTimeAfterThreadsAreResumedAsPause) {
  using Clock = std::chrono::steady_clock;
  static Clock::time_point before;
  static Clock::time_point resumed;
  const auto take_time = [](CollectionEvent event) {
    if (event != CollectionEvent::after_resume) return;
    resumed = Clock::now();
    while (Clock::now() - resumed <= resumed - before) {
    }
  };
  {
    const std::lock_guard lock(collector().lock());
    collector().hooks().event = take_time;
  }
  before = Clock::now();
  collector().collect();
  EXPECT_LE(collector().pauses().last_end(), resumed);
  EXPECT_LE(collector().counters().all_pauses(), resumed - before);
}

TEST(ProcessCollector, FreesWhatNothingLeadsTo) {
  const std::vector<HiddenAddress> dropped = dropped_list();
  EXPECT_EQ(still_there(dropped), kLength);
  clean_stack();
  const CollectionTotals result = collector().collect();
  // A stale word somewhere may keep a tail of the list.
  EXPECT_LT(still_there(dropped), kLength);
  EXPECT_EQ(result.live_bytes % heap::kGranuleBytes, 0U);
}

// In a process of its own, before the collector is made.
TEST(ProcessCollectorDeathTest, IsMadeWhenThereIsMemoryAgain) {
  if (base::kAddressSanitizer || base::kThreadSanitizer) GTEST_SKIP() << "a sanitizer maps more than may be";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto make_twice = [] {
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    const rlim_t before = std::exchange(limit.rlim_cur, 1);
    setrlimit(RLIMIT_AS, &limit);
    bool has_failed = false;
    try {
      collector();
    } catch (const std::bad_alloc&) {
      has_failed = true;
    }
    limit.rlim_cur = before;
    setrlimit(RLIMIT_AS, &limit);
    collector().collect();
    std::_Exit(has_failed ? 0 : 1);
  };
  EXPECT_EXIT(make_twice(), testing::ExitedWithCode(0), "");
}

TEST(ProcessCollector, KeepsWhatAStackLeadsTo) {
  Link* const list = new_list(kLength);
  for (int i = 0; i < 3; ++i) {
    collector().collect();
    dropped_list();
  }
  expect_intact(list, kLength);
}

TEST(ProcessCollector, AnAddressAnywhereInAnObjectKeepsIt) {
  auto* volatile inside = static_cast<std::byte*>(collector().allocate(100'000, KindNumber::words)) + 99'999;
  auto* volatile last = reinterpret_cast<std::byte*>(new_list(kLength)) + sizeof(Link) - 1;
  inside[0] = std::byte{7};
  collector().collect();
  dropped_list();
  EXPECT_NE(collector().heap().object_at(inside), nullptr);
  EXPECT_EQ(inside[0], std::byte{7});
  expect_intact(reinterpret_cast<const Link*>(last - (sizeof(Link) - 1)), kLength);
}

TEST(ProcessCollector, DataIsKeptAndLeadsNowhere) {
  auto** const data = static_cast<Link**>(collector().allocate(sizeof(std::uintptr_t), KindNumber::data));
  const std::vector<HiddenAddress> hidden = put_list(*data);
  clean_stack();
  collector().collect();
  EXPECT_NE(collector().heap().object_at(data), nullptr);
  EXPECT_LT(still_there(hidden), kLength);
}

TEST(ProcessCollector, MoreMemoryThanThereIsIsRefused) {
  EXPECT_EQ(collector().allocate(std::size_t{1} << 62, KindNumber::data), nullptr);
  EXPECT_EQ(collector().allocate(std::size_t{1} << 46, KindNumber::data), nullptr);
  EXPECT_NE(collector().allocate(16, KindNumber::data), nullptr);
}

constexpr std::size_t kLinksBeyondTheBudget = (std::size_t{32} << 20) / sizeof(Link);

TEST(ProcessCollector, AllocationCollectsByItself) {
  const std::uint64_t before = collector().collections();
  Link* const list = new_list(kLength);
  for (std::size_t i = 0; i < kLinksBeyondTheBudget; ++i) ASSERT_NE(new_link(nullptr, i), nullptr);
  EXPECT_GT(collector().collections(), before);
  expect_intact(list, kLength);
}

TEST(ProcessCollector, NothingIsCollectedWhileDisabled) {
  collector().plan().disable();
  const std::uint64_t before = collector().collections();
  for (std::size_t i = 0; i < kLinksBeyondTheBudget; ++i) ASSERT_NE(new_link(nullptr, i), nullptr);
  EXPECT_EQ(collector().collections(), before);
  collector().plan().enable();
}

TEST(ProcessCollector, KnowsWhetherTheHeapIsBeingBuilt) {
  constexpr std::uint64_t kLongLength = 50 * kLength;
  collector().plan().disable();
  collector().collect();
  Link* const list = new_list(kLongLength);
  collector().collect();
  EXPECT_TRUE(collector().plan().found().is_growing);
  new_list(kLongLength);
  Link* const other = new_list(kLongLength);
  clean_stack();
  collector().collect();
  EXPECT_FALSE(collector().plan().found().is_growing);
  collector().plan().enable();
  expect_intact(list, kLongLength);
  expect_intact(other, kLongLength);
}

// Each thread keeps lists in its frames only, and looks at every link of them after many collections.
TEST(ProcessThreads, AllocateAndKeepTheirListsThroughCollections) {
  constexpr int kThreads = 4;
  const std::size_t rounds = mark::scaled(300);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      Link* kept = new_list(kLength);
      for (std::size_t round = 0; round < rounds; ++round) {
        Link* const list = new_list(kLength);
        expect_intact(kept, kLength);
        kept = list;
      }
      expect_intact(kept, kLength);
    });
  }
  for (std::size_t i = 0; i < rounds / 3; ++i) collector().collect();
  collector().threads().call_blocked(join_all, &threads);
}

TEST(ProcessThreads, MayComeAndGoDuringCollections) {
  const std::size_t threads = mark::scaled(1000);
  const std::size_t registered = collector().threads().count();
  std::atomic<bool> stop{false};
  std::thread collecting([&] {
    while (!stop.load()) collector().collect();
  });
  constexpr std::size_t kAtOnce = 20;
  for (std::size_t i = 0; i < threads; i += kAtOnce) {
    std::vector<std::thread> crowd;
    for (std::size_t j = 0; j < kAtOnce; ++j) crowd.emplace_back([] { expect_intact(new_list(100), 100); });
    collector().threads().call_blocked(join_all, &crowd);
  }
  stop.store(true);
  collector().threads().call_blocked(join_one, &collecting);
  EXPECT_EQ(collector().threads().count(), registered);
}

// A thread that collects back to back lets those that wait have their turn after one collection, whether they
// have woken up or not.
TEST(ProcessThreads, AreKeptWaitingByOneCollectionOnly) {
  if (!kStopsBySignal) GTEST_SKIP() << "nobody sleeps";
  for (int i = 0; i < 20; ++i) {
    collector().lock().lock();
    std::atomic<pid_t> number{0};
    std::thread waiting([&] {
      number.store(gettid());
      collector().collect();
    });
    wait_until_it_sleeps(number);
    const std::uint64_t before = collector().collections();
    collector().lock().unlock();
    collector().collect();
    collector().collect();
    EXPECT_EQ(collector().collections(), before + 3) << "two here, and between them one there";
    collector().threads().call_blocked(join_one, &waiting);
  }
}

// A thread in a system call that declared itself blocked: collections do not wait, and its stack is a root.
TEST(ProcessThreads, BlockedThreadsAreNotWaitedFor) {
  std::array<int, 2> wake;
  ASSERT_EQ(pipe(wake.data()), 0);
  std::atomic<bool> is_ready{false};
  std::thread blocked([&] {
    Link* const list = new_list(kLength);
    struct Argument {
      int descriptor;
      std::atomic<bool>* is_ready;
    } argument{wake[0], &is_ready};
    const auto wait = [](void* of) {
      const Argument& waited = *static_cast<Argument*>(of);
      waited.is_ready->store(true);
      char byte = 0;
      EXPECT_EQ(read(waited.descriptor, &byte, 1), 1);
    };
    collector().threads().call_blocked(wait, &argument);
    expect_intact(list, kLength);
  });
  wait_until(is_ready);
  for (int i = 0; i < 10; ++i) {
    collector().collect();
    dropped_list();
  }
  EXPECT_EQ(write(wake[1], "x", 1), 1);
  collector().threads().call_blocked(join_one, &blocked);
  close(wake[0]);
  close(wake[1]);
}

// A thread that never calls anything is stopped all the same.
TEST(ProcessThreads, AThreadThatComputesIsStopped) {
  if (!kStopsBySignal) GTEST_SKIP() << "threads stop only where they ask";
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> turns{0};
  std::thread computing([&] {
    Link* const list = new_list(kLength);
    while (!stop.load(std::memory_order_relaxed)) {
      for (const Link* link = list; link != nullptr; link = link->next) turns.fetch_add(link->value);
    }
    expect_intact(list, kLength);
  });
  wait_until(turns);
  for (int i = 0; i < 20; ++i) {
    collector().collect();
    dropped_list();
  }
  stop.store(true);
  collector().threads().call_blocked(join_one, &computing);
}

}  // namespace
}  // namespace jackdaw::gc
