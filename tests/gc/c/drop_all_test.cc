// GC_drop_all_objects: what becomes of memory, of objects of all sorts, and of what waits for them. Each test
// is a process of its own.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <thread>
#include <vector>

#include "tests/gc/c/hidden.h"
#include "tests/gc/process/concurrent/concurrent_program.h"
#include "tests/scaled.h"

namespace jackdaw::c_interface {
namespace {

using ByteCounts = std::initializer_list<std::size_t>;

constexpr std::size_t kMib = std::size_t{1} << 20;

// A sanitizer takes much longer for each object.
constexpr std::size_t kShortList = mark::kSanitized ? kMib / 8 : kMib;
constexpr std::size_t kList = 4 * kShortList;
constexpr std::size_t kLongList = 32 * kShortList;

struct Node {
  Node* next;
  std::uint64_t value;
  std::array<char, 48> rest;
};

Node* list = nullptr;  // a root

void make_list(std::size_t bytes) {
  list = nullptr;
  for (std::uint64_t i = 0; i < bytes / sizeof(Node); ++i) {
    auto* const node = static_cast<Node*>(GC_malloc(sizeof(Node)));
    ASSERT_NE(node, nullptr);
    *node = {.next = list, .value = i, .rest = {'x'}};
    list = node;
  }
}

void expect_intact(std::size_t bytes) {
  std::uint64_t left = bytes / sizeof(Node);
  for (const Node* node = list; node != nullptr; node = node->next) ASSERT_EQ(node->value, --left);
  EXPECT_EQ(left, 0U);
}

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  statm >> all >> resident;
  return resident * static_cast<std::size_t>(getpagesize());
}

TEST(CDropAll, GivesTheMemoryOfLiveObjectsBack) {
  GC_init();
  const std::size_t before = resident_bytes();
  make_list(kLongList);
  std::array<void*, 32> large{};
  for (void*& object : large) {
    object = GC_malloc_atomic(4 * kMib);
    std::memset(object, 1, 4 * kMib);
  }
  ASSERT_GT(resident_bytes(), before + kLongList + 128 * kMib);
  const GC_word collections = GC_get_gc_no();
  EXPECT_EQ(GC_drop_all_objects(), 1);
  EXPECT_EQ(GC_get_gc_no(), collections + 1);
  // The sanitizer's own notes of the memory do not go back.
  EXPECT_LT(resident_bytes(), before + (mark::kSanitized ? 64 : 16) * kMib);
  EXPECT_LT(GC_get_memory_use(), kMib);
  make_list(kLongList);
  collect();
  expect_intact(kLongList);
}

TEST(CDropAll, WorksAgainAndAgain) {
  for (int i = 0; i < 20; ++i) {
    make_list(kList);
    if (i % 3 == 0) collect();
    expect_intact(kList);
    EXPECT_EQ(GC_drop_all_objects(), 1);
  }
}

TEST(CDropAll, ObjectsOfAllSortsGo) {
  std::vector<Hidden> objects;
  for (const std::size_t bytes : ByteCounts{16, 100, 8000, 20'000, 1 << 20, 20 << 20}) {
    for (void* const object : {GC_malloc(bytes), GC_malloc_atomic(bytes),
                               GC_malloc_explicitly_typed(bytes, 0), GC_debug_malloc(bytes, GC_EXTRAS)})
      objects.emplace_back(object);
  }
  EXPECT_EQ(GC_drop_all_objects(), 1);
  EXPECT_EQ(count_there(objects), 0U);
}

TEST(CDropAll, UncollectableObjectsStayWithoutWhatTheyReferTo) {
  GC_init();
  std::vector<char*> kept;
  // A slot that is freed right before its thread's free slots joins them, and counts as an object like these.
  // The first of two objects of 16 bytes does not.
  for (const std::size_t bytes : ByteCounts{16, 16, 200, 8000, 100'000}) {
    for (void* const object : {GC_malloc_uncollectable(bytes), GC_malloc_atomic_uncollectable(bytes)}) {
      std::memset(object, 7, bytes);
      kept.push_back(static_cast<char*>(object));
    }
  }
  auto** const table = static_cast<void**>(GC_malloc_uncollectable(100 * sizeof(void*)));
  std::vector<Hidden> dropped;
  for (int i = 0; i < 100; ++i) {
    table[i] = GC_malloc(64);
    dropped.emplace_back(table[i]);
  }
  EXPECT_EQ(GC_drop_all_objects(), 1);
  EXPECT_EQ(count_there(dropped), 0U);
  make_list(kList);
  for (const char* const object : kept) {
    for (std::size_t i = 0; i < 16; ++i) ASSERT_EQ(object[i], 7);
    EXPECT_EQ(GC_base(const_cast<char*>(object)), object);
  }
  collect();
  for (char* const object : kept) GC_free(object);
  GC_free(table);
  EXPECT_EQ(GC_drop_all_objects(), 1);
  EXPECT_EQ(GC_base(kept.front()), nullptr);
}

int finalizer_calls = 0;
void count_finalizer(void*, void*) { ++finalizer_calls; }

void register_finalizer(void* object) {
  GC_register_finalizer_no_order(object, count_finalizer, nullptr, nullptr, nullptr);
}

TEST(CDropAll, FinalizersAreForgotten) {
  GC_set_finalize_on_demand(1);
  drop_many(32, register_finalizer);
  collect();
  ASSERT_EQ(GC_should_invoke_finalizers(), 1);
  for (int i = 0; i < 1000; ++i) {
    make_list(sizeof(Node));
    register_finalizer(list);
  }
  void* const kept = GC_malloc_uncollectable(32);
  register_finalizer(kept);
  EXPECT_EQ(GC_drop_all_objects(), 1);
  EXPECT_EQ(GC_should_invoke_finalizers(), 0);
  collect();
  EXPECT_EQ(GC_invoke_finalizers(), 0);
  GC_finalization_proc old = count_finalizer;
  GC_register_finalizer(kept, nullptr, nullptr, &old, nullptr);
  EXPECT_EQ(old, nullptr);
  drop_many(32, register_finalizer);
  collect();
  EXPECT_GT(GC_invoke_finalizers(), 0) << "new ones are called";
  EXPECT_GT(finalizer_calls, 0);
}

int disclaim_calls = 0;
int disclaim(void*) { return ++disclaim_calls, 0; }

TEST(CDropAll, DisclaimProceduresAreNotCalled) {
  GC_init();
  const unsigned kind = GC_new_kind(GC_new_free_list(), GC_DS_LENGTH, 1, 1);
  GC_register_disclaim_proc(static_cast<int>(kind), disclaim, 1);
  for (int i = 0; i < 100; ++i) GC_generic_malloc(32, static_cast<int>(kind));
  EXPECT_EQ(GC_drop_all_objects(), 1);
  collect();
  EXPECT_EQ(disclaim_calls, 0);
}

TEST(CDropAll, LinksToDroppedObjectsAreCleared) {
  static std::array<void*, 4> links{};
  void* const kept = GC_malloc_uncollectable(32);
  for (std::size_t i = 0; i < links.size(); ++i) {
    links[i] = i < 2 ? GC_malloc(32) : kept;
    if (i % 2 == 0) {
      GC_general_register_disappearing_link(&links[i], links[i]);
    } else {
      GC_register_long_link(&links[i], links[i]);
    }
  }
  auto** const dropped = static_cast<void**>(GC_malloc(32));
  *dropped = kept;
  GC_general_register_disappearing_link(dropped, kept);
  EXPECT_EQ(GC_drop_all_objects(), 1);
  EXPECT_EQ(links, (std::array<void*, 4>{nullptr, nullptr, kept, kept}));
  EXPECT_EQ(GC_unregister_disappearing_link(dropped), 0);
  EXPECT_EQ(GC_unregister_disappearing_link(&links[0]), 0);
  EXPECT_EQ(GC_unregister_disappearing_link(&links[2]), 1);
  EXPECT_EQ(GC_unregister_long_link(&links[3]), 1);
}

// Collections do not wait for the thread meanwhile.
template <typename Condition>
void wait_until(Condition holds) {
  GC_do_blocking(
      [](void* condition) -> void* {
        while (!(*static_cast<Condition*>(condition))()) std::this_thread::yield();
        return nullptr;
      },
      &holds);
}

// Each has blocks of its own at hand, with free slots.
TEST(CDropAll, OtherThreadsWaitAndGoOn) {
  constexpr int kThreads = 4;
  constexpr std::uint64_t kRounds = 3;
  std::atomic<int> arrived{0};
  std::atomic<std::uint64_t> round{0};
  std::vector<std::thread> threads;
  GC_init();
  GC_allow_register_threads();
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      GC_stack_base base;
      GC_get_stack_base(&base);
      GC_register_my_thread(&base);
      for (std::uint64_t r = 1; r <= kRounds; ++r) {
        auto** const kept = static_cast<std::uint64_t**>(GC_malloc(1000 * sizeof(void*)));
        for (std::uint64_t j = 0; j < 1000; ++j) {
          kept[j] = static_cast<std::uint64_t*>(GC_malloc(16 + 16 * (j % 20)));
          EXPECT_EQ(kept[j][0], 0U) << "memory is cleared";
          *kept[j] = j + 1;
        }
        for (std::uint64_t j = 0; j < 1000; ++j) ASSERT_EQ(*kept[j], j + 1) << "thread " << i;
        ++arrived;
        wait_until([&] { return round.load() == r; });
      }
      GC_unregister_my_thread();
    });
  }
  for (std::uint64_t r = 1; r <= kRounds; ++r) {
    wait_until([&] { return arrived.load() == kThreads * static_cast<int>(r); });
    EXPECT_EQ(GC_drop_all_objects(), 1);
    round.store(r);
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(CDropAll, AlsoWhileCollectionsAreDisabled) {
  GC_disable();
  make_list(kMib);
  EXPECT_EQ(GC_drop_all_objects(), 1);
  EXPECT_LT(GC_get_memory_use(), kMib);
}

// A cycle that is being marked, or swept.
TEST(CDropAll, GivesUpACycle) {
  if (!gc::tracks_writes()) GTEST_SKIP() << "the system does not tell what was written";
  setenv("JACKDAW_PAUSE_MS", "0", 1);
  setenv("JACKDAW_CONCURRENT", "1", 1);
  GC_init();
  make_list(4 * kList);
  for (const gc::Phase phase : {gc::Phase::marking, gc::Phase::marked, gc::Phase::sweeping}) {
    gc::HeldCycle cycle(phase);
    cycle.go_on_when_caller_sleeps();
    EXPECT_EQ(GC_drop_all_objects(), 1);
    EXPECT_EQ(gc::phase(), gc::Phase::idle);
    EXPECT_LT(GC_get_memory_use(), kMib);
    cycle.go_on();
    make_list(4 * kList);
    gc::run_cycle();
    expect_intact(4 * kList);
  }
}

// Addresses that are left in static data lead to nothing, or to what comes to lie there.
TEST(CDropAll, UnderTheSwitchesThatMakeFaultsShow) {
  for (const char* const name : {"JACKDAW_VERIFY", "JACKDAW_POISON", "JACKDAW_STRESS"}) setenv(name, "1", 1);
  for (int i = 0; i < 5; ++i) {
    make_list(kShortList);
    void* const kept = GC_malloc_uncollectable(100);
    EXPECT_EQ(GC_drop_all_objects(), 1);
    collect();
    GC_free(kept);
  }
  make_list(kShortList);
  collect();
  expect_intact(kShortList);
}

}  // namespace
}  // namespace jackdaw::c_interface
