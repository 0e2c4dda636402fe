// Operations that a program may do in the midst of a cycle, while its objects are marked or swept.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gc/process/threads/stops_by_signal.h"
#include "jackdaw/gc.h"
#include "jackdaw/gc_disclaim.h"
#include "jackdaw/javaxfc.h"
#include "tests/address_space_limit.h"
#include "tests/gc/process/concurrent/concurrent_program.h"
#include "tests/gc/process/hidden_lists.h"
#include "tests/scaled.h"

namespace jackdaw::gc {
namespace {

constexpr std::array kPhases{Phase::marking, Phase::marked, Phase::sweeping};

// Stale words may keep one or another of many.
constexpr std::size_t kFew = kLength / 10;

class ConcurrentCycle : public testing::Test {
 protected:
  void SetUp() override {
    if (!tracks_writes()) GTEST_SKIP() << "the system does not tell what was written";
    setenv("JACKDAW_CONCURRENT", "1", 1);
    setenv("JACKDAW_PAUSE_MS", "0", 1);
    setenv("JACKDAW_MINIMUM_BUDGET", "8m", 1);
    setenv("JACKDAW_STRESS", "0", 1);  // a thread that collects by itself would wait for a cycle that is held
    GC_init();
  }
};

// A list that is referred to from the heap alone.
[[gnu::noinline]] std::vector<HiddenAddress> put_list_in_heap(Link**& table) {
  table = static_cast<Link**>(GC_malloc(sizeof(Link*)));
  return put_list(*table);
}

void finish_cleanly() {
  clean_stack();
  finish_cycle();
}

// How many links of a whole list are where they were; what other objects have taken the place of does not
// count.
std::size_t links_there(const std::vector<HiddenAddress>& list) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto* const link = static_cast<const Link*>(list[i].address());
    if (collector().heap().object_at(link) == static_cast<const void*>(link) && link->value == i) ++count;
  }
  clean_stack();
  return count;
}
void expect_kept(const std::vector<HiddenAddress>& list) { EXPECT_EQ(links_there(list), kLength); }
void expect_freed(const std::vector<HiddenAddress>& list) { EXPECT_LE(links_there(list), kFew); }

// ---- What waits for the end of a cycle ----

// In each phase of a cycle that goes on when the function waits.
template <typename Function>
void expect_to_end_cycle(Function function) {
  for (const Phase in : kPhases) {
    SCOPED_TRACE(static_cast<int>(in));
    Link** table = nullptr;
    const auto list = put_list_in_heap(table);
    HeldCycle cycle(in);
    cycle.go_on_when_caller_sleeps();
    function();
    EXPECT_EQ(phase(), Phase::idle);
    expect_kept(list);
    expect_intact(*table, kLength);
  }
}

// With one mark thread an engine is made, all the same, that takes the place of the first.
class ConcurrentCycleOfOneMarker : public ConcurrentCycle {
 protected:
  void SetUp() override {
    setenv("JACKDAW_MARKERS", "1", 1);
    ConcurrentCycle::SetUp();
  }
};

TEST_F(ConcurrentCycleOfOneMarker, EndsBeforeMarkThreadsAreStarted) {
  expect_to_end_cycle([] { GC_start_mark_threads(); });
}

TEST_F(ConcurrentCycle, EndsBeforeACollectionThatTheProgramAsksFor) {
  static std::vector<HiddenAddress> dropped;
  expect_to_end_cycle([] {
    const std::uint64_t before = collector().collections();
    dropped = dropped_list();
    clean_stack();
    GC_gcollect();
    EXPECT_GE(collector().collections(), before + 1);
    expect_freed(dropped);
  });
}

// A marking that is to be given up does not visit dirty pages.
TEST_F(ConcurrentCycle, IsNotMarkedToTheEndBeforeACollectionThatTheProgramAsksFor) {
  HeldCycle cycle(Phase::marking);
  cycle.go_on_when_caller_sleeps();
  GC_gcollect();
  EXPECT_EQ(concurrent_marking().record().rounds, 0U);
}

// No thread of the program need come by when the sweep has found what is free.
TEST_F(ConcurrentCycle, StartsTheScavengersThreadBeforeItSweeps) {
  Scavenger& scavenger = collector().scavenger();
  const auto start_and_end = [&] {
    const std::lock_guard lock(collector().lock());
    const bool can_start = scavenger.start_thread();
    scavenger.end_thread();
    return can_start;
  };
  if (!start_and_end()) GTEST_SKIP() << "there may be no such thread";
  void* const kept = GC_malloc(2 * Scavenger::kWorthAThread);
  run_cycle();  // a thread that is refused memory in a cycle that is held would wait
  start_and_end();
  const HeldCycle cycle(Phase::sweeping);
  EXPECT_TRUE(scavenger.has_thread());
  GC_reachable_here(kept);
}

TEST_F(ConcurrentCycle, EndsWithTheCollector) {
  HeldCycle cycle(Phase::marking);
  cycle.go_on_when_caller_sleeps();
  GC_deinit();
  EXPECT_EQ(phase(), Phase::idle);
  EXPECT_FALSE(concurrent_marking().has_thread());
}

class ConcurrentCycleWithDisplacements : public ConcurrentCycle {
 protected:
  void SetUp() override {
    GC_set_all_interior_pointers(0);
    ConcurrentCycle::SetUp();
  }
};

// Puts a list where only a displacement keeps it, into an object that may have been visited already.
[[gnu::noinline]] std::vector<HiddenAddress> put_list_at_displacement(void** table, std::size_t offset,
                                                                      Phase in) {
  auto* const head = static_cast<std::byte*>(GC_malloc(64));
  const auto list = put_list(*reinterpret_cast<Link**>(head));
  HeldCycle cycle(in);
  cycle.go_on_when_caller_sleeps();
  *table = head + offset;
  GC_register_displacement(offset);
  EXPECT_EQ(phase(), Phase::idle);
  return list;
}

TEST_F(ConcurrentCycleWithDisplacements, EndsBeforeADisplacementIsAdded) {
  std::size_t offset = 0;
  for (const Phase in : kPhases) {
    auto** const table = static_cast<void**>(GC_malloc(sizeof(void*)));
    const auto list = put_list_at_displacement(table, offset += sizeof(void*), in);
    clean_stack();
    run_cycle();
    expect_kept(list);
    GC_reachable_here(table);
  }
}

// ---- While collections are disabled ----

// Nothing else would end the marking, and what is written would become more and more.
TEST_F(ConcurrentCycle, IsGivenUpByAllocationWhileCollectionsAreDisabled) {
  const auto dropped = [] {
    HeldCycle cycle(Phase::marked);
    GC_disable();
    return dropped_list();
  }();
  EXPECT_EQ(phase(), Phase::idle);
  const std::uint64_t before = collector().collections();
  const std::uint64_t bytes_before = GC_get_total_bytes();
  clean_stack();
  GC_gcollect();
  GC_gcollect_and_unmap();
  EXPECT_EQ(GC_collect_a_little(), 0) << "there is nothing that may be done";
  EXPECT_EQ(GC_try_to_collect(GC_get_stop_func()), 0);
  while (GC_get_total_bytes() < bytes_before + (32 << 20)) {
    allocate_some();
    GC_reachable_here(GC_malloc(100'000));
  }
  EXPECT_EQ(phase(), Phase::idle);
  EXPECT_EQ(collector().collections(), before);
  expect_kept(dropped);
  GC_enable();
  GC_gcollect();
  expect_freed(dropped);
}

// Then it is known at the end, too, what was written.
TEST_F(ConcurrentCycle, GoesOnWhereNobodyAllocatesForLong) {
  HeldCycle cycle(Phase::marked);
  cycle.go_on();
  await_end_of(Phase::marked);
  finish_cycle();
}

// Threads that allocate nothing but what they have at hand would not end it.
TEST_F(ConcurrentCycle, EndsWithTheNextAllocation) {
  GC_reachable_here(GC_malloc(64));  // more are at hand
  const HeldCycle cycle(Phase::marked);
  const std::uint64_t before = collector().collections();
  GC_reachable_here(GC_malloc(64));
  EXPECT_EQ(collector().collections(), before + 1);
}

TEST_F(ConcurrentCycle, IsMarkedWhileCollectionsAreDisabled) {
  HeldCycle cycle(Phase::marking);
  const std::uint64_t before = collector().collections();
  GC_disable();
  GC_gcollect();
  EXPECT_EQ(phase(), Phase::marking);
  EXPECT_EQ(collector().collections(), before);
  cycle.go_on();
  GC_enable();
  finish_cycle();  // and maybe another
  EXPECT_GT(collector().collections(), before);
}

// Functions that cannot run in the midst of a cycle give it up.
TEST_F(ConcurrentCycle, IsNoCollectionWhileTheseAreDisabled) {
  constexpr std::array<void (*)(), 2> kFunctions{GC_start_mark_threads, [] { GC_register_displacement(8); }};
  for (void (*const function)() : kFunctions) {
    for (const Phase in : {Phase::marking, Phase::marked}) {
      Link** table = nullptr;
      const auto hidden = put_list_in_heap(table);
      HeldCycle cycle(in);
      cycle.go_on_when_caller_sleeps();
      const std::uint64_t before = collector().collections();
      GC_disable();
      *table = nullptr;
      clean_stack();
      function();
      EXPECT_EQ(phase(), Phase::idle);
      EXPECT_EQ(collector().collections(), before);
      expect_kept(hidden);
      GC_enable();
    }
  }
}

// ---- Objects that are freed and resized explicitly ----

std::vector<HiddenAddress>& freed_by_hand() {
  static std::vector<HiddenAddress> objects;
  return objects;
}
std::size_t asked = 0;
std::size_t asked_of_freed = 0;

void ask(void* object, void*) {
  ++asked;
  const auto is_object = [base = GC_base(object)](const HiddenAddress& freed) {
    return freed.address() == base;
  };
  if (std::ranges::any_of(freed_by_hand(), is_object)) ++asked_of_freed;
}

constexpr GC_finalizer_closure kClosure{ask, nullptr};
constexpr std::size_t kAsked = 8;

[[gnu::noinline]] void* new_asked(std::size_t bytes) {
  return GC_base(GC_finalized_malloc(bytes, &kClosure));
}
[[gnu::noinline]] void free_asked(void*& object) {
  freed_by_hand().emplace_back(object);
  GC_free(object);
  object = nullptr;
}

// Asks disclaim procedures about objects from before the cycle, from its midst, and dropped ones.
[[gnu::noinline]] void ask_in_cycle(std::size_t bytes) {
  std::array<void*, kAsked> old{};
  for (void*& object : old) object = new_asked(bytes);
  HeldCycle cycle(Phase::marking);
  for (void*& object : old) free_asked(object);
  for (std::size_t i = 0; i < kAsked; ++i) {
    void* object = new_asked(bytes);
    free_asked(object);
  }
}

TEST_F(ConcurrentCycle, AsksNoProcedureOfWhatWasFreedByHand) {
  GC_init_finalized_malloc();
  freed_by_hand().reserve(4 * kAsked);
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{100'000}}) {
    freed_by_hand().clear();
    asked = 0;
    for (std::size_t i = 0; i < kAsked; ++i) new_asked(bytes);
    ask_in_cycle(bytes);
    finish_cleanly();
    EXPECT_EQ(asked_of_freed, 0U) << bytes;
    EXPECT_GT(asked, 0U) << "of those that were dropped: " << bytes;
    collect_cleanly();
    EXPECT_EQ(asked_of_freed, 0U) << bytes;
  }
}

// The memory of what is freed is of no use before the sweep: it stays counted as allocated, or there would be
// no end to it while the cycle lasts.
TEST_F(ConcurrentCycle, BoundsTheHeapAlsoWhereAllIsFreedByHand) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  constexpr std::size_t kMany = 256;
  HeldCycle cycle(Phase::marking);
  cycle.go_on_when_caller_sleeps();
  std::size_t count = 0;
  for (; count < kMany && phase() == Phase::marking; ++count) GC_free(GC_malloc_atomic(kBytes));
  EXPECT_LT(count, kMany);
}

// A table refers to the objects, which lie in a span, in blocks or in chunks of their own, by their length.
template <std::size_t kCount>
void free_in_cycle_that_is_given_up(std::size_t bytes) {
  auto** const table = static_cast<void**>(GC_malloc(kCount * sizeof(void*)));
  for (std::size_t i = 0; i < kCount; ++i) table[i] = GC_malloc_atomic(bytes);
  GC_gcollect();  // a budget that these objects have used up would let this thread wait for the held cycle
  const heap::HeapUsage& usage = collector().heap().usage();
  HeldCycle cycle(Phase::marked);
  const std::uint64_t before = usage.used;
  for (std::size_t i = 0; i < kCount; ++i) GC_free(table[i]);
  GC_disable();
  GC_start_mark_threads();
  EXPECT_EQ(phase(), Phase::idle);
  EXPECT_LE(usage.used, before - kCount * bytes + heap::kBlockBytes) << bytes;
  GC_enable();
}

// No collection frees it then.
TEST_F(ConcurrentCycle, FreesWhatWasFreedByHandWhenItIsGivenUp) {
  free_in_cycle_that_is_given_up<256>(24 << 10);
  free_in_cycle_that_is_given_up<16>(1 << 20);
  free_in_cycle_that_is_given_up<2>(20 << 20);
}

// Until the last pause, free slots that wait for their thread are roots. Some serve other objects meanwhile.
TEST_F(ConcurrentCycle, FreesUncollectableObjectsThatWereFreedInItOnce) {
  constexpr std::size_t kBytes = 48;
  constexpr std::size_t kCount = 200;  // so few all wait
  const auto is_there = [](void* object) { return collector().heap().object_at(object) == object; };
  for (const Phase in : {Phase::marking, Phase::marked}) {
    std::vector<void*> objects(4 * kCount);
    for (void*& object : objects) object = GC_malloc_uncollectable(kBytes);
    std::set<void*> freed(objects.begin() + kCount, objects.begin() + 2 * kCount);
    std::set<void*> there(objects.begin(), objects.end());
    {
      const HeldCycle cycle(in);
      for (void* const object : freed) GC_free(object);
      for (void* const object : freed) there.erase(object);
      for (std::size_t i = 0; i < kCount / 4; ++i) {
        void* const object = GC_malloc_uncollectable(kBytes);
        EXPECT_TRUE(there.insert(object).second);
        freed.erase(object);
      }
    }
    finish_cycle();
    EXPECT_TRUE(std::ranges::all_of(there, is_there));
    EXPECT_TRUE(std::ranges::none_of(freed, is_there));
    for (std::size_t i = 0; i < 4 * kCount; ++i)
      EXPECT_TRUE(there.insert(GC_malloc_uncollectable(kBytes)).second);
    for (void* const object : there) GC_free(object);
  }
}

// The room in the heap does not decide: the heap may be large only because one cycle took long.
TEST_F(ConcurrentCycle, BeginsLongBeforeALargeHeapIsFull) {
  constexpr std::size_t kBytes = std::size_t{128} << 20;
  ASSERT_EQ(GC_expand_hp(kBytes), 1);
  run_cycle();
  allocate_until([] { return phase() == Phase::marking; });
  EXPECT_LT(collector().heap().allocated_bytes(), kBytes / 4);
}

// Runs a cycle in which `allocate` allocates, and has its sweep noted.
template <typename Allocate>
void note_cycle_of(Allocate allocate) {
  const std::uint64_t before = collector().collections();
  while (collector().collections() == before) allocate();
  await_end_of(Phase::sweeping);
  GC_collect_a_little();
}

// The heap is so large that blocks which a thread has at hand do not matter.
TEST_F(ConcurrentCycle, KnowsWhetherTheHeapIsBeingBuilt) {
  constexpr std::size_t kLongLength = (std::size_t{48} << 20) / sizeof(Link);
  finish_cycle();
  GC_disable();
  Link* list = new_list(kLongLength);
  GC_enable();
  GC_gcollect();
  std::size_t length = kLongLength;
  note_cycle_of([&] { list = new_link(list, length++); });
  EXPECT_TRUE(collector().plan().found().is_growing);
  for (int cycle = 0; cycle < 2; ++cycle) note_cycle_of([] { GC_reachable_here(new_link(nullptr, 0)); });
  EXPECT_FALSE(collector().plan().found().is_growing);
  GC_reachable_here(list);
}

constexpr std::size_t kMebibyte = std::size_t{1} << 20;
constexpr std::size_t kLarge = 64;

// Collects a heap with kLarge objects of a mebibyte that a table refers to, and returns that.
void** collect_with_large_objects() {
  finish_cycle();
  auto** const table = static_cast<void**>(GC_malloc(kLarge * sizeof(void*)));
  for (std::size_t i = 0; i < kLarge; ++i) table[i] = GC_malloc_atomic(kMebibyte);
  GC_gcollect();
  EXPECT_GE(collector().plan().found().live_bytes, kLarge * kMebibyte);
  return table;
}

// Until the sweep is noted the program may allocate as much as befits what was live before.
TEST_F(ConcurrentCycle, HasTheScavengerNoteWhatItsSweepFound) {
  void** const table = collect_with_large_objects();
  std::fill_n(table, kLarge, nullptr);
  const std::uint64_t before = collector().collections();
  allocate_until([before] { return collector().collections() != before; });
  await_end_of(Phase::sweeping);
  {
    const std::lock_guard lock(collector().lock());
    collector().scavenger().end_thread();  // which may hold the lock
  }
  collector().scavenger().scavenge(Scavenger::Clock::now());
  EXPECT_LT(collector().plan().found().live_bytes, kLarge * kMebibyte / 2);
}

// Threads that allocate during the marking would wait for its end if room were missing.
TEST_F(ConcurrentCycle, HasAllOfTheHeapsRoom) {
  void** const table = collect_with_large_objects();
  std::fill_n(table, kLarge, nullptr);
  GC_gcollect();
  {
    const std::lock_guard lock(collector().lock());
    collector().plan().limit_room(0);
  }
  const heap::Budget& budget = collector().heap().budget();
  EXPECT_FALSE(budget.allows(16 * kMebibyte));
  const HeldCycle cycle(Phase::marking);
  EXPECT_TRUE(budget.allows(16 * kMebibyte));
}

// Markers read an object's length.
TEST_F(ConcurrentCycle, MovesWhatIsResized) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  for (const std::size_t bytes : {kBytes / 2, 2 * kBytes}) {
    auto** array = static_cast<Link**>(GC_malloc(kBytes));
    constexpr std::size_t kLists = 10;
    constexpr std::size_t kDistance = 5000;
    std::vector<std::vector<HiddenAddress>> lists;
    for (std::size_t i = 0; i < kLists; ++i) lists.push_back(put_list(array[i * kDistance]));
    HeldCycle cycle(Phase::marking);
    auto** const resized = static_cast<Link**>(GC_realloc(array, bytes));
    EXPECT_NE(resized, array);
    array = resized;
    cycle.go_on();
    finish_cleanly();
    for (std::size_t i = 0; i < kLists; ++i) {
      expect_kept(lists[i]);
      expect_intact(array[i * kDistance], kLength);
    }
  }
}

// Hides the addresses of lists that a table alone refers to, and clears the table, during the marking of a
// cycle, which does not find them and has ended on return.
std::vector<HiddenAddress> hide_all_while_marking(std::span<Link*> table) {
  HeldCycle cycle(Phase::marking);
  std::vector<HiddenAddress> hidden;
  hidden.reserve(table.size());
  for (Link*& link : table) {
    hidden.emplace_back(link);
    link = nullptr;
  }
  cycle.go_on();
  await_end_of(Phase::marking);
  return hidden;
}

// The number exceeds what mark threads can note for later while the program is stopped.
TEST_F(ConcurrentCycle, FindsAnyNumberOfObjectsInItsLastPause) {
  constexpr std::size_t kMany = 400'000;
  constexpr std::size_t kLinks = 2;
  auto* const words = static_cast<Link**>(GC_malloc(kMany * sizeof(Link*)));
  const std::span table(words, kMany);
  for (std::size_t i = 0; i < kMany; ++i) table[i] = new_list(kLinks);
  const auto hidden = hide_all_while_marking(table);
  {
    const std::lock_guard lock(concurrent_marking().steps());
    for (std::size_t i = 0; i < kMany; ++i) table[i] = static_cast<Link*>(hidden[i].address());
    allocate_until([] { return phase() != Phase::marked; });
  }
  finish_cycle();
  run_cycle();
  for (const Link* const list : table) {
    ASSERT_EQ(collector().heap().object_at(list->next), static_cast<const void*>(list->next));
    expect_intact(list, kLinks);
  }
  GC_reachable_here(words);
}

// ---- A marking that is hurried ----

// Returns when no other thread runs.
void wait_until_others_sleep() {
  const auto others_sleep = [] {
    const auto threads = std::filesystem::directory_iterator("/proc/self/task");
    return std::all_of(begin(threads), end(threads), [](const std::filesystem::directory_entry& thread) {
      const pid_t number = std::stoi(thread.path().filename());
      return number == gettid() || sleeps(number);
    });
  };
  while (!others_sleep()) std::this_thread::yield();
}

// With the collector's lock, for which the marking thread waits before it stops the program: lets it do so
// once.
void let_it_stop_once(StoppableMutex& lock) {
  lock.let_nobody_pass();
  lock.unlock();
  lock.lock();
  wait_until_others_sleep();
}

// The thread that hurries a marking wants to give it up, but another may end it first. Taken pages that wait
// to be visited count as not written by then.
TEST_F(ConcurrentCycle, LosesNothingOfThePagesThatWaitWhereItIsHurried) {
  if (!kStopsBySignal) GTEST_SKIP() << "threads that wait do not sleep";
  constexpr std::size_t kMany = 16'384;
  constexpr std::size_t kWords = 250;
  static std::array<Link*, kMany> shelf;  // searched for roots before it is filled, and after it is emptied
  auto** const table = static_cast<Link**>(GC_malloc(kMany * sizeof(Link*)));
  auto** const holders = static_cast<Link***>(GC_malloc(kMany * sizeof(Link**)));
  for (std::size_t i = 0; i < kMany; ++i) {
    table[i] = new_link(nullptr, i);
    holders[i] = static_cast<Link**>(GC_malloc(kWords * sizeof(Link*)));
  }
  const auto move_all = [&](auto from, auto to) {
    for (std::size_t i = 0; i < kMany; ++i) *to(i) = std::exchange(*from(i), nullptr);
  };
  const auto in_table = [&](std::size_t i) { return &table[i]; };
  const auto on_shelf = [](std::size_t i) { return &shelf[i]; };
  const auto in_holder = [&](std::size_t i) { return &holders[i][kWords / 2]; };
  HeldCycle cycle(Phase::marking);
  move_all(in_table, on_shelf);
  {
    const std::lock_guard lock(collector().lock());
    cycle.go_on();
    wait_until_others_sleep();
    let_it_stop_once(collector().lock());  // to look at stacks
    move_all(on_shelf, in_holder);
    let_it_stop_once(collector().lock());  // to visit some of the holders
    concurrent_marking().hurry();
  }
  finish_cycle();
  for (std::size_t i = 0; i < kMany; ++i) {
    const Link* const link = *in_holder(i);
    ASSERT_EQ(collector().heap().object_at(link), static_cast<const void*>(link));
    ASSERT_EQ(link->value, i);
  }
  GC_reachable_here(table);
}

// ---- Forks ----

// A thread that has forked gives the locks back one after the other, and is stopped in between.
TEST_F(ConcurrentCycle, EndsItsMarkingWithoutTheLockThatAForkHolds) {
  const HeldCycle cycle(Phase::marked);
  allocate_until([] { return phase() != Phase::marked; });
}

// The work of a child that has the list; returns its exit status.
int use_heap_in_child(const std::vector<HiddenAddress>& hidden, void* list) {
  if (phase() != Phase::idle) return 1;
  if (links_there(hidden) != kLength) return 2;
  run_cycle();
  if (links_there(hidden) != kLength) return 3;
  const auto dropped = dropped_list();
  collect_cleanly();
  if (links_there(dropped) > kFew || links_there(hidden) != kLength) return 4;
  GC_reachable_here(list);
  return 0;
}

TEST_F(ConcurrentCycle, IsGivenUpInTheChildOfAFork) {
  if (mark::kSanitized) GTEST_SKIP() << "a child may inherit the locks of the sanitizer's malloc";
  Link** table = nullptr;
  const auto hidden = put_list_in_heap(table);
  for (const Phase in : kPhases) {
    HeldCycle cycle(in);
    cycle.go_on_when_caller_sleeps();
    const pid_t child = fork();
    ASSERT_NE(child, -1);
    if (child == 0) _exit(use_heap_in_child(hidden, table));
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << static_cast<int>(in);
    cycle.go_on();
    finish_cleanly();
    expect_kept(hidden);
  }
  expect_intact(*table, kLength);
}

// The child's first collection knows which objects are live where the sweep had not come yet, and which have
// died since: dead objects hold no links any more.
TEST_F(ConcurrentCycle, IsSweptToTheEndInTheChildOfAFork) {
  if (mark::kSanitized) GTEST_SKIP() << "a child may inherit the locks of the sanitizer's malloc";
  constexpr std::size_t kChunks = 24;
  auto** const kept = static_cast<void**>(GC_malloc_uncollectable((kChunks + 1) * sizeof(void*)));
  static std::array<GC_word, kChunks> hidden;
  [&]() __attribute__((noinline)) {
    kept[kChunks] = GC_malloc(64);
    for (std::size_t i = 0; i < kChunks; ++i) {
      kept[i] = GC_malloc_atomic(heap::kChunkBytes);
      hidden[i] = GC_HIDE_POINTER(kept[i]);
      GC_general_register_disappearing_link(static_cast<void**>(kept[i]), kept[kChunks]);
    }
  }
  ();
  HeldCycle cycle(Phase::sweeping);
  cycle.go_on_when_caller_sleeps();
  const pid_t child = fork();
  ASSERT_NE(child, -1);
  if (child == 0) {
    for (std::size_t i = 1; i < kChunks; ++i) kept[i] = nullptr;
    clean_stack();
    GC_gcollect();
    for (std::size_t i = 0; i < kChunks; ++i) {
      const int found = GC_unregister_disappearing_link(static_cast<void**>(GC_REVEAL_POINTER(hidden[i])));
      if (found != (i == 0 ? 1 : 0)) _exit(1 + static_cast<int>(i));
    }
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  cycle.go_on();
  finish_cleanly();
  GC_free(kept);
}

// ---- Roots ----

// Memory that is no root by itself.
class Mapped {
 public:
  Mapped() : memory_(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~Mapped() { munmap(memory_, kBytes); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  Link*& word() { return *static_cast<Link**>(memory_); }
  void add_as_roots() { GC_add_roots(memory_, static_cast<std::byte*>(memory_) + kBytes); }
  void remove_from_roots() { GC_remove_roots(memory_, static_cast<std::byte*>(memory_) + kBytes); }

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 20;
  void* memory_;
};

TEST_F(ConcurrentCycle, FindsWhatWasMovedToNewRoots) {
  for (const Phase in : kPhases) {
    Link** table = nullptr;
    const auto list = put_list_in_heap(table);
    Mapped mapped;
    HeldCycle cycle(in);
    mapped.word() = *table;
    *table = nullptr;
    mapped.add_as_roots();
    cycle.go_on();
    finish_cleanly();
    expect_kept(list);
    run_cycle();
    expect_kept(list);
    expect_intact(mapped.word(), kLength);
    mapped.remove_from_roots();
  }
}

std::size_t marked_of(const std::vector<HiddenAddress>& list) {
  return static_cast<std::size_t>(std::count_if(list.begin(), list.end(), [](HiddenAddress link) {
    const auto* const object = static_cast<const heap::Object*>(link.address());
    return heap::Chunk::of(object)->is_marked(object);
  }));
}

// No root leads to it when they are gathered, and it is not born marked.
TEST_F(ConcurrentCycle, MarksWhatOnlyAStackLeadsToBeforeItsLastPause) {
  Link* head = nullptr;
  std::vector<HiddenAddress> list;
  const std::chrono::milliseconds target = concurrent_marking().pause_target();
  {
    HeldCycle cycle(Phase::marking);
    list = put_list(head);
    // Stacks are scanned for no longer than a pause may take, and a slow machine needs longer.
    concurrent_marking().set_pause_target(std::chrono::seconds(10));
  }
  await_end_of(Phase::marking);
  concurrent_marking().set_pause_target(target);
  EXPECT_EQ(marked_of(list), kLength);
  finish_cleanly();
  expect_kept(list);
  GC_reachable_here(head);
}

TEST_F(ConcurrentCycle, LooksForNothingInRootsThatAreGone) {
  for (const Phase in : kPhases) {
    Mapped kept;
    const auto kept_list = put_list(kept.word());
    kept.add_as_roots();
    std::vector<HiddenAddress> list;
    {
      Mapped mapped;
      list = put_list(mapped.word());
      mapped.add_as_roots();
      HeldCycle cycle(in);
      mapped.remove_from_roots();
    }
    finish_cleanly();
    run_cycle();
    expect_freed(list);
    expect_kept(kept_list);
    kept.remove_from_roots();
  }
}

// ---- Threads ----

// See gc/process/threads/stops_by_signal.h.
class ConcurrentCycleWithThreads : public ConcurrentCycle {
 protected:
  void SetUp() override {
    if (!kStopsBySignal) GTEST_SKIP() << "threads stop only where they ask";
    ConcurrentCycle::SetUp();
  }
};

// A thread with a list that its stack alone refers to.
class ThreadWithList {
 public:
  ThreadWithList() : thread_([this] { run(); }) {
    while (!has_list_.load()) std::this_thread::yield();
  }
  ~ThreadWithList() { end(); }
  ThreadWithList(const ThreadWithList&) = delete;
  ThreadWithList& operator=(const ThreadWithList&) = delete;

  [[nodiscard]] const std::vector<HiddenAddress>& list() const { return hidden_; }
  [[nodiscard]] pthread_t id() { return thread_.native_handle(); }
  /// The thread puts its list there, if anywhere, and ends.
  void end(Link** slot = nullptr) {
    slot_ = slot;
    is_to_end_.store(true);
    if (thread_.joinable()) thread_.join();
  }

 private:
  void run() {
    Link* volatile list = new_list(kLength);
    hidden_ = hidden_links(list);
    has_list_.store(true);
    while (!is_to_end_.load()) std::this_thread::yield();
    expect_intact(list, kLength);
    if (slot_ != nullptr) *slot_ = list;
    list = nullptr;
  }

  std::vector<HiddenAddress> hidden_;
  Link** slot_ = nullptr;
  std::atomic<bool> has_list_{false};
  std::atomic<bool> is_to_end_{false};
  std::thread thread_;
};

TEST_F(ConcurrentCycleWithThreads, FindsWhatThreadsHaveThatStart) {
  for (const Phase in : kPhases) {
    HeldCycle cycle(in);
    const ThreadWithList thread;
    cycle.go_on();
    finish_cycle();
    expect_kept(thread.list());
    run_cycle();
    expect_kept(thread.list());
  }
}

TEST_F(ConcurrentCycleWithThreads, FindsWhatThreadsLeaveThatEnd) {
  for (const Phase in : kPhases) {
    auto** const table = static_cast<Link**>(GC_malloc(sizeof(Link*)));
    ThreadWithList leaving;
    ThreadWithList dropping;
    {
      const HeldCycle cycle(in);
      leaving.end(table);
      dropping.end();
    }
    finish_cycle();
    expect_kept(leaving.list());
    run_cycle();
    expect_kept(leaving.list());
    expect_freed(dropping.list());
    expect_intact(*table, kLength);
  }
}

class Suspended {
 public:
  explicit Suspended(ThreadWithList& thread) : id_(thread.id()) {
    GC_suspend_thread(id_);
    EXPECT_EQ(GC_is_thread_suspended(id_), 1);
  }
  ~Suspended() { GC_resume_thread(id_); }
  Suspended(const Suspended&) = delete;
  Suspended& operator=(const Suspended&) = delete;

 private:
  const pthread_t id_;
};

// It may hold a lock of the C library's, which starting a thread takes.
TEST_F(ConcurrentCycleWithThreads, StartsNoThreadWhileOneIsSuspended) {
  ThreadWithList thread;
  {
    const Suspended suspended(thread);
    const std::uint64_t before = collector().collections();
    allocate_until([before] { return collector().collections() >= before + 3; });
    EXPECT_FALSE(concurrent_marking().has_thread());
    EXPECT_EQ(phase(), Phase::idle);
    expect_kept(thread.list());
  }
  run_cycle();
  EXPECT_TRUE(concurrent_marking().has_thread());
  expect_kept(thread.list());
}

TEST_F(ConcurrentCycleWithThreads, GoesOnWhileAThreadIsSuspended) {
  run_cycle();
  ThreadWithList thread;
  {
    const Suspended suspended(thread);
    run_cycle();
    expect_kept(thread.list());
  }
  for (const Phase in : kPhases) {
    HeldCycle cycle(in);
    const Suspended suspended(thread);
    cycle.go_on();
    finish_cycle();
    expect_kept(thread.list());
    run_cycle();
    expect_kept(thread.list());
  }
}

// ---- Links and finalizers ----

// Objects that one in the heap refers to, each with a link and a finalizer that are registered in a cycle.
class Watched {
 public:
  Watched()
      : objects_(static_cast<void**>(GC_malloc(kLength * sizeof(void*)))), links_(kLength), finalized_(0) {
    for (std::size_t i = 0; i < kLength; ++i) objects_[i] = GC_malloc(32);
  }

  [[gnu::noinline]] void watch() {
    for (std::size_t i = 0; i < kLength; ++i) {
      links_[i] = objects_[i];
      EXPECT_EQ(GC_general_register_disappearing_link(&links_[i], objects_[i]), GC_SUCCESS);
      GC_register_finalizer(
          objects_[i], [](void*, void* count) { ++*static_cast<std::size_t*>(count); }, &finalized_, nullptr,
          nullptr);
    }
  }
  [[gnu::noinline]] void unwatch() {
    for (std::size_t i = 0; i < kLength; ++i) {
      EXPECT_EQ(GC_unregister_disappearing_link(&links_[i]), 1);
      GC_register_finalizer(objects_[i], nullptr, nullptr, nullptr, nullptr);
    }
  }
  [[gnu::noinline]] void drop() { std::fill_n(objects_, kLength, nullptr); }

  [[nodiscard]] std::size_t cleared() const {
    return static_cast<std::size_t>(std::ranges::count(links_, nullptr));
  }
  [[nodiscard]] std::size_t finalized() const { return finalized_; }

 private:
  void** const objects_;
  std::vector<void*> links_;
  std::size_t finalized_;
};

TEST_F(ConcurrentCycle, KnowsLinksAndFinalizersThatCameInItsMidst) {
  for (const Phase in : kPhases) {
    SCOPED_TRACE(static_cast<int>(in));
    Watched kept;
    Watched dropped;
    Watched forgotten;
    {
      const HeldCycle cycle(in);
      for (Watched* const some : {&kept, &dropped, &forgotten}) some->watch();
      forgotten.unwatch();
      forgotten.drop();
      dropped.drop();
    }
    finish_cleanly();
    run_cycle();
    EXPECT_EQ(kept.cleared(), 0U);
    EXPECT_EQ(kept.finalized(), 0U);
    EXPECT_GE(dropped.cleared(), kLength - kFew);
    EXPECT_GE(dropped.finalized(), kLength - kFew);
    EXPECT_EQ(forgotten.cleared(), 0U);
    EXPECT_EQ(forgotten.finalized(), 0U);
    kept.unwatch();
  }
}

// ---- Without memory ----

// In the child of a fork, which has no engine yet. It has what there is without one.
TEST_F(ConcurrentCycle, BeginsLaterWhereThereIsNoMemoryForAnEngine) {
  if (mark::kSanitized) GTEST_SKIP() << "the sanitizer needs addresses itself";
  Link** table = nullptr;
  const auto hidden = put_list_in_heap(table);
  GC_set_min_bytes_allocd(std::size_t{1} << 20);
  run_cycle();
  const pid_t child = fork();
  ASSERT_NE(child, -1);
  if (child == 0) {
    const std::uint64_t before = collector().collections();
    {
      const AddressSpaceLimit limit(0);
      while (GC_malloc(100'000) != nullptr) {
        if (collector().collections() != before) _exit(10);
      }
    }
    const heap::Heap& heap = collector().heap();
    if (heap.usage().used < heap.chunk_bytes() / 10 * 9) _exit(11);
    _exit(use_heap_in_child(hidden, table));
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// While it exists, no thread's stack finds room.
class NoThreadStarts {
 public:
  NoThreadStarts() {
    EXPECT_EQ(pthread_getattr_default_np(&before_), 0);
    pthread_attr_t huge;
    EXPECT_EQ(pthread_attr_init(&huge), 0);
    EXPECT_EQ(pthread_attr_setstacksize(&huge, std::size_t{1} << 56), 0);
    EXPECT_EQ(pthread_setattr_default_np(&huge), 0);
    pthread_attr_destroy(&huge);
  }
  ~NoThreadStarts() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoThreadStarts(const NoThreadStarts&) = delete;
  NoThreadStarts& operator=(const NoThreadStarts&) = delete;

 private:
  pthread_attr_t before_{};
};

TEST_F(ConcurrentCycle, IsLeftOutWhereItsThreadCannotStart) {
  Link** table = nullptr;
  const auto list = put_list_in_heap(table);
  const auto collect_three_times = [] {
    const std::uint64_t before = collector().collections();
    allocate_until([before] { return collector().collections() >= before + 3; });
  };
  {
    const NoThreadStarts no_thread_starts;
    testing::internal::CaptureStderr();
    collect_three_times();
    const std::string told = testing::internal::GetCapturedStderr();
    const std::size_t line =
        told.find("jackdaw: cannot mark while the program runs: no thread can be started");
    EXPECT_NE(line, std::string::npos) << told;
    EXPECT_EQ(told.find("cannot mark while", line + 20), std::string::npos) << "once: " << told;
    EXPECT_FALSE(concurrent_marking().has_thread());
    EXPECT_EQ(GC_is_incremental_mode(), 0);
    expect_kept(list);
  }
  collect_three_times();
  EXPECT_EQ(phase(), Phase::idle);
  expect_kept(list);
  GC_enable_incremental();
  run_cycle();
  EXPECT_TRUE(concurrent_marking().has_thread()) << "asked again";
  expect_kept(list);
  expect_intact(*table, kLength);
}

// A list until memory is refused; its length. It is taken apart in the end, so that stale words keep little.
[[gnu::noinline]] std::size_t fill_heap() {
  Link* list = nullptr;
  std::size_t length = 0;
  while (auto* const link = static_cast<Link*>(GC_malloc(1024))) {
    *link = {list, length++};
    list = link;
  }
  std::size_t left = length;
  while (list != nullptr) {
    EXPECT_EQ(list->value, --left);
    Link* const next = list->next;
    list->next = nullptr;
    list = next;
  }
  EXPECT_EQ(left, 0U);
  return length;
}

TEST_F(ConcurrentCycle, LeavesAFullHeapUsable) {
  constexpr std::size_t kLimit = std::size_t{32} << 20;
  GC_set_max_heap_size(kLimit);
  for (int round = 0; round < 3; ++round) {
    EXPECT_GT(fill_heap(), kLimit / 1024 / 2);
    clean_stack();
  }
}

TEST_F(ConcurrentCycle, ComesOnceForARequestThatTheHeapHasNoRoomFor) {
  constexpr std::size_t kLimit = std::size_t{64} << 20;
  GC_set_max_heap_size(kLimit);
  const auto refuse = [] { EXPECT_EQ(GC_malloc_atomic(kLimit / 2), nullptr); };
  void* const live = GC_malloc_atomic(kLimit / 8 * 5);
  static const std::uint64_t before = collector().collections();
  // This answers a request that has cycle after cycle, so that the test ends.
  GC_set_stop_func([] { return collector().collections() > before + 20 ? 1 : 0; });
  refuse();
  EXPECT_LE(collector().collections(), before + 2) << "a cycle, and a collection that stops the program";
  refuse();
  EXPECT_LE(collector().collections(), before + 3) << "no cycle, as nothing was allocated";
  EXPECT_NE(GC_malloc_atomic(kLimit / 16), nullptr);
  GC_reachable_here(live);
}

}  // namespace
}  // namespace jackdaw::gc
