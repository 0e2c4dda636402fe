// Collecting through the C interface, what forbids it, and the numbers that tell of it.
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "tests/address_space_limit.h"
#include "tests/gc/c/hidden.h"
#include "tests/scaled.h"

namespace jackdaw::c_interface {
namespace {

int says_stop() { return 1; }
int says_go() { return 0; }

void allocate(std::size_t bytes) {
  for (std::size_t i = 0; i < bytes / 1024; ++i) ASSERT_NE(GC_malloc(1000), nullptr);
}

TEST(CCollect, FreesWhatNothingRefersTo) {
  const std::vector<Hidden> dropped = drop_many(64);
  const GC_word before = GC_get_gc_no();
  collect();
  EXPECT_EQ(GC_get_gc_no(), before + 1);
  EXPECT_EQ(GC_gc_no, before + 1);
  EXPECT_LT(count_there(dropped), kManyObjects);
}

TEST(CCollect, IsGivenUpWhenTheStopFunctionSaysSo) {
  const GC_word before = GC_get_gc_no();
  EXPECT_EQ(GC_try_to_collect(says_stop), 0);
  EXPECT_EQ(GC_get_gc_no(), before);
  EXPECT_EQ(GC_try_to_collect(says_go), 1);
  EXPECT_EQ(GC_get_gc_no(), before + 1);
}

TEST(CCollect, TheDefaultStopFunctionStopsThoseOfAllocationToo) {
  EXPECT_EQ(GC_get_stop_func()(), 0);
  GC_set_stop_func(says_stop);
  EXPECT_EQ(GC_get_stop_func(), says_stop);
  const GC_word before = GC_get_gc_no();
  GC_gcollect();
  allocate(64 << 20);
  EXPECT_EQ(GC_get_gc_no(), before);
  GC_gcollect_and_unmap();
  EXPECT_EQ(GC_get_gc_no(), before + 1) << "this one asks nobody";
  GC_set_stop_func(says_go);
  allocate(64 << 20);
  EXPECT_GT(GC_get_gc_no(), before + 1);
}

TEST(CCollect, DoesNothingWhileDisabled) {
  EXPECT_EQ(GC_is_disabled(), 0);
  GC_disable();
  GC_disable();
  GC_enable();
  EXPECT_NE(GC_is_disabled(), 0);
  const GC_word before = GC_get_gc_no();
  GC_gcollect();
  EXPECT_EQ(GC_try_to_collect(says_go), 0);
  allocate(64 << 20);
  EXPECT_EQ(GC_get_gc_no(), before);
  GC_enable();
  EXPECT_EQ(GC_is_disabled(), 0);
  GC_gcollect();
  EXPECT_GT(GC_get_gc_no(), before);
}

TEST(CCollect, DisabledByTheVariableBeforeTheStart) {
  GC_dont_gc = 1;
  GC_init();
  EXPECT_NE(GC_is_disabled(), 0);
  GC_gcollect();
  EXPECT_EQ(GC_get_gc_no(), 0U);
  GC_enable();
  GC_gcollect();
  EXPECT_EQ(GC_get_gc_no(), 1U);
}

TEST(CCollectDeathTest, EnablingTooOftenEndsTheProgram) {
  EXPECT_DEATH(GC_enable(), "GC_enable was called more often");
}

TEST(CCollect, AllocationNeedNotCollectByItself) {
  GC_set_disable_automatic_collection(1);
  EXPECT_NE(GC_get_disable_automatic_collection(), 0);
  const GC_word before = GC_get_gc_no();
  allocate(64 << 20);
  EXPECT_EQ(GC_get_gc_no(), before);
  GC_set_disable_automatic_collection(0);
  allocate(64 << 20);
  EXPECT_GT(GC_get_gc_no(), before);
}

TEST(CCollect, ALittleIsAWholeCollectionWhenOneIsDue) {
  EXPECT_EQ(GC_collect_a_little(), 0);
  const GC_word before = GC_get_gc_no();
  EXPECT_EQ(GC_collect_a_little(), 0);
  EXPECT_EQ(GC_get_gc_no(), before) << "nothing was allocated";
}

// A list of large objects, until there is no memory.
[[gnu::noinline]] void fill_heap() {
  void* list = nullptr;
  while (auto** const block = static_cast<void**>(GC_malloc(1 << 20))) {
    *block = list;
    list = block;
  }
  GC_reachable_here(list);
}

TEST(CPolicy, TheHeapNeverGetsLargerThanItsLimit) {
  GC_set_max_heap_size(64 << 20);
  fill_heap();
  EXPECT_LE(GC_get_heap_size(), std::size_t{64} << 20);
  EXPECT_GT(GC_get_gc_no(), 0U) << "it was tried";
  clean_stack();
  EXPECT_NE(GC_malloc(1 << 20), nullptr) << "the list is gone";
}

TEST(CPolicy, ASmallLimitHolds) {
  constexpr std::size_t kLimit = 2 << 20;
  GC_set_max_heap_size(kLimit);
  allocate(100 << 20);
  std::size_t held = 0;
  for (void* list = nullptr; void* const object = GC_malloc(1000); held += 1000) {
    *static_cast<void**>(object) = list;
    list = object;
  }
  EXPECT_LE(held, kLimit);
  EXPECT_GE(held, kLimit - kLimit / 16) << "what is left behind slots, and slots of other sizes";
  EXPECT_LE(GC_get_heap_size(), kLimit);
  EXPECT_EQ(GC_malloc(kLimit + 1), nullptr);
  GC_set_max_heap_size(3 * kLimit);
  EXPECT_NE(GC_malloc(kLimit), nullptr);
}

// Fills a heap of at most 32 MiB, asks for more `refusals` times, and drops everything. Returns how often it
// was collected in vain.
[[gnu::noinline]] GC_word collections_of_refusals(int refusals) {
  constexpr std::size_t kMost = 32;
  auto** const objects = static_cast<void**>(GC_malloc_uncollectable(kMost * sizeof(void*)));
  for (std::size_t i = 0; i < kMost; ++i) objects[i] = GC_malloc(1 << 20);
  const GC_word before = GC_get_gc_no();
  for (int i = 0; i < refusals; ++i) EXPECT_EQ(GC_malloc(1 << 20), nullptr);
  GC_free(objects);
  return GC_get_gc_no() - before;
}

TEST(CPolicy, RefusedRequestsSeldomCollectInVain) {
  GC_set_max_heap_size(32 << 20);
  EXPECT_LE(collections_of_refusals(1000), 10U);
  clean_stack();
  int refused = 0;
  while (GC_malloc(1 << 20) == nullptr && refused < 2000) ++refused;
  EXPECT_LT(refused, 2000) << "what was dropped is found";
  const GC_word before = GC_get_gc_no();
  for (int i = 0; i < 20; ++i) ASSERT_NE(GC_malloc(5 << 20), nullptr) << "none is refused for what was";
  EXPECT_LE(GC_get_gc_no(), before + 20);
}

TEST(CPolicy, AsManyMoreCollectionsAreTriedAsWasSaid) {
  GC_set_max_heap_size(32 << 20);
  GC_set_max_retries(6);
  GC_init();
  GC_word before = GC_get_gc_no();
  while (GC_malloc_uncollectable(1 << 20) != nullptr) before = GC_get_gc_no();
  EXPECT_EQ(GC_get_gc_no(), before + 7);
  EXPECT_EQ(GC_malloc_uncollectable(1 << 20), nullptr);
  EXPECT_LE(GC_get_gc_no(), before + 8) << "the next is not refused as slowly";
}

// Takes all memory once, as threads do that are faster than the one that collected.
bool has_taken_all = false;
void take_all_once(GC_EventType event) {
  if (event != GC_EVENT_END || std::exchange(has_taken_all, true)) return;
  while (GC_malloc(1000) != nullptr) continue;
}

TEST(CPolicy, NoneIsRefusedBecauseOthersTookWhatACollectionFreed) {
  GC_set_max_heap_size(32 << 20);
  GC_set_min_bytes_allocd(1 << 30);
  allocate(24 << 20);
  GC_set_on_collection_event(take_all_once);
  allocate(32 << 20);
  EXPECT_TRUE(has_taken_all);
}

// Each of more threads than processors spends the budget before another one comes to it.
TEST(CPolicy, TheHeapDoesNotGrowBecauseThreadsRaceForWhatACollectionFreed) {
  constexpr unsigned kThreads = 16;
  std::vector<pthread_t> threads(kThreads);
  const auto work = [](void*) -> void* {
    const std::size_t objects = mark::scaled(1'000'000);
    for (std::size_t i = 0; i < objects; ++i) EXPECT_NE(GC_malloc(16 + i * 7919 % 200), nullptr);
    return nullptr;
  };
  for (pthread_t& thread : threads) ASSERT_EQ(GC_pthread_create(&thread, nullptr, work, nullptr), 0);
  for (const pthread_t thread : threads) ASSERT_EQ(GC_pthread_join(thread, nullptr), 0);
  const unsigned processors = std::clamp(std::thread::hardware_concurrency(), 1U, kThreads);
  const std::size_t least_mib = 4 + 3 * (processors - 1);
  EXPECT_LE(GC_get_heap_size() >> 20, 2 * least_mib);
}

int collections_told = 0;
void take_what_is_free(GC_EventType event) {
  if (event != GC_EVENT_END) return;
  ++collections_told;
  allocate(GC_get_free_bytes());
}

TEST(CPolicy, AThreadThatAlwaysComesTooLateGetsMemoryBeyondTheBudget) {
  allocate(16 << 20);
  GC_set_on_collection_event(take_what_is_free);
  allocate(16 << 20);
  EXPECT_GE(collections_told, 8);
  EXPECT_LE(collections_told, 1000);
}

TEST(CPolicy, WhatNoHeapCanHoldIsRefusedAtOnce) {
  GC_set_max_heap_size(32 << 20);
  const GC_word before = GC_get_gc_no();
  volatile std::size_t bytes = std::size_t{32} << 20;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(GC_malloc(bytes + 1), nullptr);
  EXPECT_EQ(GC_get_gc_no(), before);
}

TEST(CPolicy, AHeapThatMayNotGrowIsCollectedFirst) {
  GC_set_dont_expand(1);
  EXPECT_NE(GC_get_dont_expand(), 0);
  GC_set_min_bytes_allocd(1 << 30);
  allocate(100 << 20);
  EXPECT_GT(GC_get_gc_no(), 0U) << "though the budget was not used up";
  EXPECT_LE(GC_get_heap_size(), std::size_t{64} << 20);
}

TEST(CPolicy, SettingsAreReadBack) {
  GC_set_free_space_divisor(7);
  EXPECT_EQ(GC_get_free_space_divisor(), 7U);
  GC_init();
  EXPECT_EQ(GC_get_free_space_divisor(), 7U);
  GC_set_free_space_divisor(0);
  EXPECT_EQ(GC_get_free_space_divisor(), 1U) << "never 0";
  GC_set_max_retries(2);
  EXPECT_EQ(GC_get_max_retries(), 2U);
  EXPECT_EQ(GC_get_allocd_bytes_per_finalizer(), 10'000U);
  GC_set_allocd_bytes_per_finalizer(0);
  EXPECT_EQ(GC_get_allocd_bytes_per_finalizer(), 0U);
  GC_set_min_bytes_allocd(12345);
  EXPECT_EQ(GC_get_min_bytes_allocd(), 12345U);
  GC_set_non_gc_bytes(99);
  EXPECT_EQ(GC_get_non_gc_bytes(), 99U);
  GC_set_pages_executable(1);
  EXPECT_EQ(GC_get_pages_executable(), 0);
}

TEST(CStatistics, BytesAreFreeUsedOrGivenBack) {
  const std::size_t total = GC_get_total_bytes();
  void* const large = GC_malloc(1 << 20);
  EXPECT_GE(GC_get_total_bytes(), total + (1 << 20));
  EXPECT_EQ(GC_get_bytes_since_gc(), GC_get_total_bytes());
  EXPECT_GE(GC_get_memory_use(), std::size_t{1} << 20);
  EXPECT_GE(GC_get_heap_size(), GC_get_memory_use() + GC_get_free_bytes());
  EXPECT_EQ(GC_get_unmapped_bytes(), 0U);
  const std::size_t heap = GC_get_heap_size();
  GC_free(large);
  EXPECT_GE(GC_get_expl_freed_bytes_since_gc(), std::size_t{1} << 20);
  void* const kept = GC_malloc(16);
  GC_gcollect_and_unmap();
  EXPECT_GE(GC_get_unmapped_bytes(), std::size_t{1} << 20);
  EXPECT_LE(GC_get_heap_size(), heap - (1 << 20));
  EXPECT_EQ(GC_get_expl_freed_bytes_since_gc(), 0U);
  EXPECT_GE(GC_get_obtained_from_os_bytes(), heap);
  EXPECT_TRUE(GC_expand_hp(40 << 20));
  EXPECT_GE(GC_get_heap_size(), std::size_t{40} << 20);
  GC_reachable_here(kept);
}

TEST(CStatistics, AllAtOnceAndNoMoreThanIsKnown) {
  allocate(10 << 20);
  collect();
  allocate(1 << 20);
  GC_prof_stats_s stats;
  EXPECT_EQ(GC_get_prof_stats(&stats, sizeof stats), sizeof stats);
  EXPECT_EQ(stats.heapsize_full, GC_get_heap_size() + GC_get_unmapped_bytes());
  EXPECT_EQ(stats.gc_no, GC_get_gc_no());
  EXPECT_EQ(stats.bytes_allocd_since_gc + stats.allocd_bytes_before_gc, GC_get_total_bytes());
  EXPECT_GT(stats.bytes_reclaimed_since_gc + stats.reclaimed_bytes_before_gc, std::size_t{8} << 20);
  EXPECT_EQ(GC_get_prof_stats_unsafe(&stats, sizeof(GC_word)), sizeof(GC_word));
  std::vector<unsigned char> larger(sizeof stats + 8, 1);
  EXPECT_EQ(GC_get_prof_stats(reinterpret_cast<GC_prof_stats_s*>(larger.data()), larger.size()),
            sizeof stats);
  EXPECT_EQ(larger.back(), 0xff);
  GC_word heap = 0;
  GC_word total = 0;
  GC_get_heap_usage_safe(&heap, nullptr, nullptr, nullptr, &total);
  EXPECT_EQ(heap, GC_get_heap_size());
  EXPECT_EQ(total, GC_get_total_bytes());
  EXPECT_GE(GC_get_size_map_at(16), 16U);
  EXPECT_EQ(GC_get_size_map_at(1 << 20), static_cast<std::size_t>(-1));
  EXPECT_EQ(GC_get_size_map_at(-1), static_cast<std::size_t>(-1));
}

TEST(CStatistics, TimeIsMeasuredFromWhenItIsAskedFor) {
  allocate(10 << 20);
  collect();
  EXPECT_EQ(GC_get_full_gc_total_time(), 0U);
  EXPECT_EQ(GC_get_full_gc_total_ns_frac(), 0U);
  EXPECT_EQ(GC_get_avg_stopped_mark_time_ns(), 0U);
  GC_start_performance_measurement();
  constexpr unsigned long kCollections = 8;
  for (unsigned long i = 0; i < kCollections; ++i) collect();
  constexpr unsigned long kMillisecond = 1'000'000;
  EXPECT_LT(GC_get_full_gc_total_ns_frac(), kMillisecond);
  const unsigned long all = GC_get_full_gc_total_time() * kMillisecond + GC_get_full_gc_total_ns_frac();
  const unsigned long average = GC_get_avg_stopped_mark_time_ns();
  EXPECT_GT(average, 0U);
  EXPECT_LT(kCollections * average, all);
  EXPECT_EQ(GC_get_stopped_mark_total_time(), kCollections * average / kMillisecond);
}

// ---- Memory from the system ----

struct Taken {
  std::byte* start;
  std::size_t bytes;
};
std::vector<Taken>* all_taken = nullptr;
std::size_t refusals = 0;

void note_taken(void* memory, std::size_t bytes) {
  EXPECT_FALSE(lock_is_free());
  EXPECT_NE(GC_get_heap_size() + bytes, 0U);
  EXPECT_GT(bytes, 0U);
  if (memory != nullptr) {
    all_taken->push_back({static_cast<std::byte*>(memory), bytes});
  } else {
    ++refusals;
  }
}

std::size_t bytes_taken() {
  std::size_t sum = 0;
  for (const Taken& taken : *all_taken) sum += taken.bytes;
  return sum;
}

bool was_taken(const void* object) {
  const auto holds = [=](const Taken& taken) {
    return taken.start <= object && object < taken.start + taken.bytes;
  };
  return std::ranges::any_of(*all_taken, holds);
}

TEST(CMemory, FromTheSystemIsTold) {
  std::vector<Taken> taken;
  taken.reserve(1000);
  all_taken = &taken;
  GC_reachable_here(GC_malloc(16));
  const std::size_t before = GC_get_obtained_from_os_bytes();
  EXPECT_EQ(GC_get_on_os_get_mem(), nullptr);
  GC_set_on_os_get_mem(note_taken);
  EXPECT_EQ(GC_get_on_os_get_mem(), note_taken);
  for (const std::size_t bytes : {std::size_t{1000}, std::size_t{300'000}, std::size_t{50} << 20}) {
    auto** const table = static_cast<void**>(GC_malloc(1000 * sizeof(void*)));
    for (std::size_t i = 0; i < std::min<std::size_t>(1000, (std::size_t{100} << 20) / bytes); ++i)
      table[i] = GC_malloc(bytes);
    EXPECT_EQ(bytes_taken(), GC_get_obtained_from_os_bytes() - before);
    EXPECT_TRUE(bytes <= 300'000 || was_taken(table[0]));
    GC_reachable_here(table);
  }
  EXPECT_EQ(GC_expand_hp(std::size_t{300} << 20), 1);
  EXPECT_EQ(bytes_taken(), GC_get_obtained_from_os_bytes() - before);
  EXPECT_EQ(refusals, 0U);
  GC_set_on_os_get_mem(nullptr);
  const std::size_t told = bytes_taken();
  EXPECT_EQ(GC_expand_hp(std::size_t{500} << 20), 1);
  EXPECT_EQ(bytes_taken(), told);
}

TEST(CMemory, ThatTheSystemRefusesIsTold) {
  std::vector<Taken> taken;
  taken.reserve(1000);
  all_taken = &taken;
  GC_set_on_os_get_mem(note_taken);
  GC_reachable_here(GC_malloc(16));
  {
    const AddressSpaceLimit limit(std::size_t{64} << 20);
    EXPECT_EQ(GC_malloc(std::size_t{200} << 20), nullptr);
  }
  EXPECT_GT(refusals, 0U);
}

}  // namespace
}  // namespace jackdaw::c_interface
