// GC_malloc and its like: what they give, what keeps it, and what happens when there is no memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <thread>
#include <vector>

#include "tests/gc/c/hidden_objects.h"

namespace jackdaw::c_interface {
namespace {

constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();

bool is_clear(const void* object, std::size_t bytes) {
  const std::span all(static_cast<const unsigned char*>(object), bytes);
  return std::ranges::all_of(all, [](unsigned char byte) { return byte == 0; });
}

// In a program of its own, which no other test began.
TEST(MallocDeathTest, NeedsNoInitialisation) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto allocate_first = [] {
    if (GC_is_init_called() != 0) std::exit(1);
    std::exit(GC_malloc(10) != nullptr && GC_is_init_called() != 0 ? 0 : 2);
  };
  EXPECT_EXIT(allocate_first(), testing::ExitedWithCode(0), "");
}

TEST(MallocDeathTest, NeedsNoInitialisationOnAnyThread) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto allocate_on_threads = [] {
    std::array<std::thread, 4> threads;
    for (std::thread& thread : threads) {
      thread = std::thread([] {
        if (GC_malloc(10) == nullptr) std::exit(1);
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::exit(0);
  };
  EXPECT_EXIT(allocate_on_threads(), testing::ExitedWithCode(0), "");
}

TEST(Malloc, GivesAlignedClearObjectsOfTheSize) {
  for (int round = 0; round < 3; ++round) {
    for (std::size_t bytes = 0; bytes < 70'000; bytes = bytes * 5 / 4 + 1) {
      void* const object = GC_malloc(bytes);
      ASSERT_NE(object, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(object) % 16, 0U);
      EXPECT_GT(GC_size(object), bytes);
      EXPECT_TRUE(is_clear(object, GC_size(object)));
      std::memset(object, 0xff, bytes);
    }
    GC_gcollect();
  }
}

TEST(Malloc, ObjectsDoNotOverlap) {
  std::array<unsigned char*, 200> objects;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    objects[i] = static_cast<unsigned char*>(i % 2 == 0 ? GC_malloc(7 * i) : GC_malloc_atomic(7 * i));
    std::memset(objects[i], static_cast<int>(i), 7 * i);
  }
  GC_gcollect();
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const std::span bytes(objects[i], 7 * i);
    EXPECT_TRUE(std::ranges::all_of(bytes, [i](unsigned char byte) { return byte == i; }));
  }
}

TEST(Malloc, FreesWhatNothingReaches) {
  const HiddenObjects objects = hidden_objects([] { return GC_malloc(24); });
  collect_cleanly();
  EXPECT_LE(objects.still_there(), kFew);
}

TEST(Malloc, KeepsWhatAScannedObjectReaches) {
  auto** const table = static_cast<void**>(GC_malloc(kMany * sizeof(void*)));
  std::size_t next = 0;
  const HiddenObjects objects = hidden_objects([&] { return table[next++] = GC_malloc_atomic(24); });
  collect_cleanly();
  EXPECT_EQ(objects.still_there(), kMany);
  EXPECT_NE(table[0], nullptr);
}

TEST(Malloc, KeepsAnObjectByTheAddressBehindIt) {
  auto** const table = static_cast<void**>(GC_malloc(kMany * sizeof(void*)));
  std::size_t next = 0;
  const HiddenObjects objects = hidden_objects([&] {
    auto* const object = static_cast<std::byte*>(GC_malloc(32));
    table[next++] = object + 32;
    return object;
  });
  collect_cleanly();
  EXPECT_EQ(objects.still_there(), kMany);
  EXPECT_NE(table[0], nullptr);
}

TEST(MallocDeathTest, GivesNoExtraByteWithoutInteriorPointers) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto allocate = [] {
    GC_all_interior_pointers = 0;
    GC_init();
    std::exit(GC_size(GC_malloc(32)) == 32 && GC_size(GC_malloc_atomic(32)) == 32 ? 0 : 1);
  };
  EXPECT_EXIT(allocate(), testing::ExitedWithCode(0), "");
}

TEST(Malloc, DoesNotScanAtomicObjects) {
  auto** const table = static_cast<void**>(GC_malloc_atomic(kMany * sizeof(void*)));
  std::size_t next = 0;
  const HiddenObjects objects = hidden_objects([&] { return table[next++] = GC_malloc(24); });
  collect_cleanly();
  EXPECT_LE(objects.still_there(), kFew);
  EXPECT_NE(table[0], nullptr);
}

TEST(Malloc, UncollectableObjectsAreRootsUntilTheyAreFreed) {
  const GC_word before = GC_non_gc_bytes;
  std::vector<GC_hidden_pointer> roots;
  const HiddenObjects objects = hidden_objects([&] {
    auto** const root = static_cast<void**>(GC_malloc_uncollectable(16));
    roots.push_back(GC_HIDE_POINTER(root));
    return *root = GC_malloc(24);
  });
  EXPECT_GE(GC_non_gc_bytes, before + kMany * 16);
  collect_cleanly();
  EXPECT_EQ(objects.still_there(), kMany);
  for (const GC_hidden_pointer root : roots) GC_free(GC_REVEAL_POINTER(root));
  EXPECT_EQ(GC_non_gc_bytes, before);
  collect_cleanly();
  EXPECT_LE(objects.still_there(), kFew);
}

// More than are marked together.
TEST(Malloc, AnyNumberOfUncollectableObjectsAreRoots) {
  constexpr std::size_t kVeryMany = 150'000;
  std::vector<void**> roots;
  HiddenObjects objects;
  for (std::size_t i = 0; i < kVeryMany; ++i) {
    roots.push_back(static_cast<void**>(GC_malloc_uncollectable(16)));
    objects.add(*roots.back() = GC_malloc(16));
  }
  collect_cleanly();
  EXPECT_EQ(objects.still_there(), kVeryMany);
  for (void** const root : roots) GC_free(root);
}

TEST(Malloc, UncollectableObjectsHaveNoExtraByte) {
  GC_init();
  for (const std::size_t bytes : {std::size_t{16}, std::size_t{32}, std::size_t{1024}}) {
    EXPECT_EQ(GC_size(GC_malloc_uncollectable(bytes)), bytes);
    EXPECT_EQ(GC_size(GC_malloc_atomic_uncollectable(bytes)), bytes);
    EXPECT_EQ(GC_size(GC_generic_malloc_uncollectable(bytes, 1)), bytes);
  }
  EXPECT_NE(GC_malloc_uncollectable(0), nullptr);
}

TEST(Malloc, AtomicUncollectableObjectsStayAndAreNotScanned) {
  HiddenObjects data;
  const HiddenObjects objects = hidden_objects([&] {
    auto** const object = static_cast<void**>(GC_malloc_atomic_uncollectable(16));
    data.add(object);
    return *object = GC_malloc(24);
  });
  collect_cleanly();
  EXPECT_EQ(data.still_there(), kMany);
  EXPECT_LE(objects.still_there(), kFew);
}

TEST(Malloc, BigObjectsMayBeKeptFromNearTheirStartAlone) {
  // So few that no collection comes amid them.
  constexpr std::size_t kBytes = 50'000;
  constexpr std::size_t kCount = 40;
  GC_gcollect();
  auto** const table = static_cast<void**>(GC_malloc(kCount * sizeof(void*)));
  HiddenObjects near_start;
  HiddenObjects far_from_it;
  const auto make = [&] {
    for (std::size_t i = 0; i < kCount; ++i) {
      auto* const object = static_cast<std::byte*>(i % 4 < 2 ? GC_malloc_ignore_off_page(kBytes)
                                                             : GC_malloc_atomic_ignore_off_page(kBytes));
      table[i] = object + (i % 2 == 0 ? 255 : kBytes / 2);
      (i % 2 == 0 ? near_start : far_from_it).add(object);
    }
  };
  make();
  collect_cleanly();
  EXPECT_EQ(near_start.still_there(), kCount / 2);
  EXPECT_LE(far_from_it.still_there(), kFew);
  EXPECT_NE(table[0], nullptr);
}

TEST(Malloc, FreeMakesRoomAtOnce) {
  GC_free(nullptr);
  void* const small = GC_malloc(100);
  GC_free(small);
  EXPECT_TRUE(is_given_out_again(small, 100));
  const std::size_t heap = GC_get_heap_size();
  for (int i = 0; i < 100; ++i) GC_free(GC_malloc(std::size_t{8} << 20));
  EXPECT_LE(GC_get_heap_size(), heap + (std::size_t{32} << 20));
}

TEST(MallocDeathTest, FreeOfWhatIsNoObjectEndsTheProgram) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  GC_init();
  alignas(16384) static std::array<char, 16384> data;
  EXPECT_DEATH(GC_free(data.data()), "jackdaw: GC_free was given an address that is no object's");
}

TEST(MallocDeathTest, FreeOfASharedBlocksObjectTwiceEndsTheProgram) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  std::array<void*, 12> objects;  // more than have blocks of their own
  for (void*& object : objects) object = GC_malloc(17'000);
  ASSERT_EQ(GC_size(objects.back()), 20'480U);
  GC_free(objects.back());
  EXPECT_DEATH(GC_free(objects.back()), "jackdaw: GC_free was given an address that is no object's");
}

std::size_t refused = 0;
char of_the_program;

void* note_refusal(std::size_t bytes) {
  refused = bytes;
  return &of_the_program;
}

TEST(Malloc, AsksTheProgramWhenThereIsNoMemory) {
  volatile std::size_t bytes = kMost;
  EXPECT_EQ(GC_malloc(bytes), nullptr);
  const GC_word uncollectable = GC_non_gc_bytes;
  const GC_oom_func before = GC_oom_fn;
  GC_oom_fn = note_refusal;
  for (const std::size_t too_many : {kMost, kMost - 1, kMost - 16, kMost / 2 + 1, kMost / 2, kMost / 4}) {
    bytes = too_many;
    for (void* (*const allocate)(std::size_t) :
         {GC_malloc, GC_malloc_atomic, GC_malloc_uncollectable, GC_malloc_atomic_uncollectable,
          GC_malloc_ignore_off_page, GC_malloc_atomic_ignore_off_page, GC_malloc_stubborn, GC_malloc_many}) {
      refused = 0;
      EXPECT_EQ(allocate(bytes), &of_the_program);
      EXPECT_EQ(refused, too_many);
    }
  }
  EXPECT_NE(GC_malloc(16), &of_the_program);
  EXPECT_EQ(GC_non_gc_bytes, uncollectable);
  GC_oom_fn = before;
}

TEST(Malloc, ExpandsTheHeap) {
  GC_init();
  const std::size_t before = GC_get_heap_size();
  EXPECT_EQ(GC_expand_hp(std::size_t{64} << 20), 1);
  EXPECT_GE(GC_get_heap_size(), before + (std::size_t{64} << 20));
  const std::size_t after = GC_get_heap_size();
  for (const std::size_t too_many : {kMost / 4, kMost - 10}) EXPECT_EQ(GC_expand_hp(too_many), 0);
  EXPECT_EQ(GC_get_heap_size(), after);
}

TEST(Malloc, TellsWhereObjectsStart) {
  auto* const object = static_cast<char*>(GC_malloc(1000));
  EXPECT_EQ(GC_base(object), object);
  EXPECT_EQ(GC_base(object + 999), object);
  EXPECT_NE(GC_is_heap_ptr(object + 999), 0);
  auto* const large = static_cast<char*>(GC_malloc(100'000));
  EXPECT_EQ(GC_base(large + 99'999), large);
  int local = 0;
  EXPECT_EQ(GC_base(&local), nullptr);
  EXPECT_EQ(GC_base(nullptr), nullptr);
  EXPECT_EQ(GC_is_heap_ptr(&local), 0);
  EXPECT_LE(GC_least_plausible_heap_addr, static_cast<void*>(object));
  EXPECT_GE(GC_greatest_plausible_heap_addr, static_cast<void*>(large));
}

// This reads a freed object: its first word is the allocator's.
TEST(Freezero, ClearsWhatItFrees) {
  constexpr std::size_t kFirst = sizeof(void*);
  for (const std::size_t bytes : Sizes{100, 5000, 100'000}) {
    for (const std::size_t cleared : {bytes / 2, kMost}) {
      auto* const object = static_cast<unsigned char*>(GC_malloc_atomic(bytes));
      std::memset(object, 'x', bytes);
      GC_freezero(object, cleared);
      if (bytes > 10'000) continue;  // its pages may be gone
      const std::size_t end = std::min(cleared, bytes);
      EXPECT_TRUE(is_clear(object + kFirst, end - kFirst));
      EXPECT_TRUE(end == bytes || object[end] == 'x');
    }
  }
  GC_freezero(nullptr, kMost);
  void* const object = GC_malloc(100);
  GC_freezero(object, 1);
  EXPECT_TRUE(is_given_out_again(object, 100));
}

TEST(Size, OfNullIsNothing) { EXPECT_EQ(GC_size(nullptr), 0U); }

}  // namespace
}  // namespace jackdaw::c_interface
