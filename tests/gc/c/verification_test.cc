// JACKDAW_VERIFY: an object without its mark ends the program, and a heap in which all is well does not. Each
// case runs in a process of its own: the environment is read when the collector is made.
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>

#include "gc/c/interface.h"
#include "jackdaw/gc_mark.h"
#include "tests/gc/process/concurrent/concurrent_program.h"

namespace jackdaw::c_interface {
namespace {

struct Node {
  Node* unused;
  Node* next;
};

Node* list = nullptr;    // a root
Node* victim = nullptr;  // hidden: it is the last of the list

// The planted fault. Roots are asked for when a marking begins and when it ends in a pause, and again when
// all is marked: then stacks, which may still lead to the object, mark it no more.
int calls_until_marked = 1;
void clear_mark() {
  if (calls_until_marked-- == 0)
    GC_clear_mark_bit(GC_REVEAL_POINTER(reinterpret_cast<GC_hidden_pointer>(victim)));
}

void make_list(int length) {
  for (int i = 0; i < length; ++i) {
    auto* const node = static_cast<Node*>(GC_malloc(sizeof(Node)));
    if (i == 0) victim = reinterpret_cast<Node*>(GC_HIDE_POINTER(node));
    node->next = list;
    list = node;
  }
}

void collect_list(const char* verify, int length) {
  setenv("JACKDAW_VERIFY", verify, 1);
  GC_init();
  make_list(length);
  GC_set_push_other_roots(clear_mark);
  GC_gcollect();
  std::_Exit(0);
}

class VerificationDeathTest : public testing::Test {
 protected:
  VerificationDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(VerificationDeathTest, AnObjectWithoutItsMarkEndsTheProgramWithTheWayToIt) {
  EXPECT_EXIT(collect_list("1", 2), testing::KilledBySignal(SIGABRT),
              "^jackdaw: JACKDAW_VERIFY: collection 1 did not mark the object at (0x[0-9a-f]+), of 32 bytes, "
              "which is in use: static data at 0x[0-9a-f]+ -> 0x[0-9a-f]+\\+8 -> 0x[0-9a-f]+\n$");
}

TEST_F(VerificationDeathTest, OfALongWayBothEndsAreTold) {
  EXPECT_EXIT(collect_list("1", 1000), testing::KilledBySignal(SIGABRT), " -> \\(987 more\\) -> ");
}

TEST_F(VerificationDeathTest, IsOffUnlessAskedFor) {
  EXPECT_EXIT(collect_list("0", 2), testing::ExitedWithCode(0), "^$");
}

TEST_F(VerificationDeathTest, FollowsEachCycle) {
  if (!gc::tracks_writes()) GTEST_SKIP() << "the system does not tell what is written";
  const auto run_cycles = [] {
    for (const char* const name : {"JACKDAW_VERIFY", "JACKDAW_CONCURRENT"}) setenv(name, "1", 1);
    setenv("JACKDAW_PAUSE_MS", "0", 1);
    setenv("JACKDAW_MINIMUM_BUDGET", "64k", 1);
    GC_init();
    make_list(10);
    gc::run_cycle();
    GC_set_push_other_roots(clear_mark);
    calls_until_marked = 2;
    gc::run_cycle();
    std::_Exit(0);
  };
  EXPECT_EXIT(run_cycles(), testing::KilledBySignal(SIGABRT), "did not mark the object .* static data");
}

// The objects lie behind the heap's end as the second marking found it: each takes a chunk.
TEST_F(VerificationDeathTest, ObjectsMadeByACallbackMeanwhilePass) {
  const auto collect = [] {
    setenv("JACKDAW_VERIFY", "1", 1);
    GC_init();
    GC_set_push_other_roots([] {
      static std::array<void*, 64> made{};
      if (calls_until_marked-- != 0) return;
      for (void*& object : made) object = GC_malloc_atomic(std::size_t{20} << 20);
    });
    GC_gcollect();
    std::_Exit(calls_until_marked < 0 ? 0 : 1);
  };
  EXPECT_EXIT(collect(), testing::ExitedWithCode(0), "^$");
}

// Arrays that are visited in parts, objects without references, uncollectable ones, and addresses inside.
TEST_F(VerificationDeathTest, AHeapInWhichAllIsMarkedPasses) {
  const auto collect_all_kinds = [] {
    setenv("JACKDAW_VERIFY", "1", 1);
    setenv("JACKDAW_INITIAL_HEAP_SIZE", "64k", 1);
    GC_init();
    constexpr std::size_t kLength = 100'000;
    static void** array = nullptr;
    array = static_cast<void**>(GC_malloc(kLength * sizeof(void*)));
    auto** const kept = static_cast<void**>(GC_malloc_uncollectable(2 * sizeof(void*)));
    for (std::size_t i = 0; i < kLength; ++i) {
      auto* const object = static_cast<char*>(i % 2 == 0 ? GC_malloc(i % 300) : GC_malloc_atomic(i % 200));
      array[i] = object + i % 8;
      if (i % 1000 == 0) kept[0] = object;
    }
    for (int i = 0; i < 3; ++i) GC_gcollect();
    std::_Exit(GC_get_gc_no() < 3 ? 1 : 0);
  };
  EXPECT_EXIT(collect_all_kinds(), testing::ExitedWithCode(0), "^$");
}

}  // namespace
}  // namespace jackdaw::c_interface
