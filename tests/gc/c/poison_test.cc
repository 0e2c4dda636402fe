// JACKDAW_POISON: a write to an object after its end is told, and programs that do nothing wrong notice
// nothing. Each case runs in a process of its own: the environment is read when the collector is made.
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "gc/c/interface.h"
#include "tests/gc/c/hidden.h"
#include "tests/gc/process/concurrent/concurrent_program.h"

namespace jackdaw::c_interface {
namespace {

void start_poisoned() {
  setenv("JACKDAW_POISON", "1", 1);
  GC_init();
}

// Until its slot has been handed out again, or a collection has come to it.
[[noreturn]] void allocate_much(std::size_t bytes) {
  for (int i = 0; i < 100'000; ++i) GC_reachable_here(GC_malloc(bytes));
  GC_gcollect();
  std::_Exit(0);
}

void write_after_free(void* object, std::size_t offset, std::size_t size) {
  GC_free(object);
  *static_cast<volatile char*>(static_cast<void*>(static_cast<char*>(object) + offset)) = 'x';
  allocate_much(size);
}

class PoisonDeathTest : public testing::Test {
 protected:
  PoisonDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(PoisonDeathTest, TellsOfAWriteAfterFree) {
  const auto write = [](std::size_t offset) {
    start_poisoned();
    write_after_free(GC_malloc(40), offset, 40);
  };
  EXPECT_EXIT(
      write(0), testing::KilledBySignal(SIGABRT),
      "^jackdaw: JACKDAW_POISON: the object at 0x[0-9a-f]+, of 48 bytes, was written to after its end, at "
      "byte 0, where there is now 0xdeadf4eedeadf478\n$");
  EXPECT_EXIT(write(41), testing::KilledBySignal(SIGABRT),
              "at byte 40, where there is now 0xdeadf4eedead78e0\n$");
}

TEST_F(PoisonDeathTest, TellsOfAWriteAfterFreeToObjectsOfAllKinds) {
  const auto write = [](void* object) { write_after_free(object, 20, 48); };
  const auto write_to_data = [&] { start_poisoned(), write(GC_malloc_atomic(40)); };
  const auto write_to_uncollectable = [&] { start_poisoned(), write(GC_malloc_uncollectable(40)); };
  const auto write_to_large = [] { start_poisoned(), write_after_free(GC_malloc(50'000), 30'000, 50'000); };
  EXPECT_EXIT(write_to_data(), testing::KilledBySignal(SIGABRT), "was written to after its end, at byte 16");
  EXPECT_EXIT(write_to_uncollectable(), testing::KilledBySignal(SIGABRT), "was written to after its end");
  EXPECT_EXIT(write_to_large(), testing::KilledBySignal(SIGABRT),
              "the free memory at 0x[0-9a-f]+ was written to");
}

TEST_F(PoisonDeathTest, TellsOfAWriteToAnObjectThatWasSwept) {
  const auto write = [] {
    start_poisoned();
    const std::vector<Hidden> dropped = drop_many(40);
    collect();
    for (const Hidden& hidden : dropped)
      if (!hidden.is_there()) *static_cast<volatile char*>(hidden.address()) = 'x';
    allocate_much(40);
  };
  EXPECT_EXIT(write(), testing::KilledBySignal(SIGABRT), "JACKDAW_POISON: the .* was written to");
}

TEST_F(PoisonDeathTest, SaysWhereACheckedObjectWasAllocated) {
  const auto write_after_free = [] {
    start_poisoned();
    void* const object = GC_debug_malloc(100, "a_file.c", 123);
    GC_debug_free(object);
    *static_cast<volatile char*>(object) = 'x';
    GC_gcollect();
    std::_Exit(0);
  };
  EXPECT_EXIT(write_after_free(), testing::KilledBySignal(SIGABRT),
              "; it was allocated at a_file\\.c:123\n$");
}

// Objects of all sizes and kinds, written to the end of the requested size, freed explicitly or not.
[[gnu::noinline]] void use_memory(std::uint32_t random) {
  std::array<void*, 64> kept{};
  for (int i = 0; i < 30'000; ++i) {
    random = random * 1'664'525 + 1'013'904'223;
    const std::size_t bytes = random >> 8 & 0x7f ? random >> 16 & 0x1ff : random >> 14;
    void*& place = kept[random >> 26];
    if ((random & 0x10) != 0) GC_free(place);
    switch (random & 0xf) {
      case 0:
        place = GC_realloc((random & 0x10) != 0 ? nullptr : place, bytes);
        break;
      case 1:
        GC_free(GC_malloc_uncollectable(bytes));
        [[fallthrough]];
      case 2:
        place = GC_malloc_atomic(bytes);
        break;
      case 3:
        place = GC_debug_malloc(bytes, "file.c", 1);
        GC_debug_free(place);
        place = nullptr;
        continue;
      default:
        place = GC_malloc(bytes);
        break;
    }
    if (place != nullptr) std::memset(place, 0x55, bytes);
  }
}

void use_memory_in_threads(const char* concurrent) {
  setenv("JACKDAW_CONCURRENT", concurrent, 1);
  setenv("JACKDAW_PAUSE_MS", "0", 1);
  setenv("JACKDAW_MINIMUM_BUDGET", "256k", 1);
  setenv("JACKDAW_INITIAL_HEAP_SIZE", "256k", 1);
  setenv("JACKDAW_VERIFY", "1", 1);
  start_poisoned();
  for (std::uint32_t round = 0; round < 2; ++round) {
    std::thread other(use_memory, 2 * round);
    use_memory(2 * round + 1);
    other.join();
  }
  std::_Exit(GC_get_gc_no() < 5 ? 1 : 0);
}

TEST_F(PoisonDeathTest, ProgramsThatDoNothingWrongNoticeNothing) {
  EXPECT_EXIT(use_memory_in_threads("0"), testing::ExitedWithCode(0), "^$");
}

TEST_F(PoisonDeathTest, ProgramsThatDoNothingWrongNoticeNothingOfCycles) {
  if (!gc::tracks_writes()) GTEST_SKIP() << "the system does not tell what is written";
  EXPECT_EXIT(use_memory_in_threads("1"), testing::ExitedWithCode(0), "^$");
}

}  // namespace
}  // namespace jackdaw::c_interface
