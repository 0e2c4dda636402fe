// The leak-finding mode: what is reported, and what is not.
#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gc/c/kinds.h"
#include "tests/gc/c/hidden_objects.h"

namespace jackdaw::c_interface {
namespace {

// The lines that `function` has written to the error output.
template <typename Function>
std::vector<std::string> lines_of(Function function) {
  testing::internal::CaptureStderr();
  function();
  std::istringstream text(testing::internal::GetCapturedStderr());
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::size_t count_matching(const std::vector<std::string>& lines, const std::string& pattern) {
  const std::regex regex(pattern);
  std::size_t count = 0;
  for (const std::string& line : lines) count += std::regex_match(line, regex) ? 1 : 0;
  return count;
}

// Fewer than a report may hold, so that a stale word or two do not matter.
constexpr std::size_t kLeaked = 20;
constexpr std::size_t kAtLeast = 15;

template <typename Make>
[[gnu::noinline]] void make_objects(std::size_t count, Make make) {
  GC_disable();
  for (std::size_t i = 0; i < count; ++i) make();
  GC_enable();
}

class Leaks : public testing::Test {
 protected:
  Leaks() { GC_set_find_leak(1); }
  ~Leaks() override { GC_set_find_leak(0); }
};

TEST_F(Leaks, AreReportedOnceWithTheirPlaces) {
  make_objects(kLeaked, [] { GC_debug_malloc(20, "file.c", 7); });
  const std::vector<std::string> lines = lines_of(collect_cleanly);
  const std::size_t found = count_matching(lines, R"(0x[0-9a-f]+ \(file\.c:7, sz= 20, NORMAL\))");
  EXPECT_GE(found, kAtLeast);
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.front(), "Found " + std::to_string(found) + " leaked objects:");
  EXPECT_EQ(lines.size(), found + 1);
  EXPECT_LE(lines_of(collect_cleanly).size(), kLeaked - found + 1);
}

TEST_F(Leaks, WithoutAPlaceSayWhatTheyAre) {
  make_objects(kLeaked, [] { GC_malloc(100); });
  EXPECT_GE(count_matching(lines_of(collect_cleanly), R"(object at 0x\w+ of appr\. 112 bytes \(composite\))"),
            kAtLeast);
  make_objects(kLeaked, [] { GC_malloc_atomic(100'000); });
  EXPECT_GE(
      count_matching(lines_of(collect_cleanly), R"(object at 0x\w+ of appr\. 1000\d\d bytes \(atomic\))"),
      kAtLeast);
  make_objects(kLeaked, [] { GC_debug_malloc_replacement(8); });
  EXPECT_GE(count_matching(lines_of(collect_cleanly), R"(0x\w+ \(unknown:0, sz= 8, NORMAL\))"), kAtLeast);
}

TEST_F(Leaks, OfProgramsKindsAreDescribedByTheProgram) {
  const int kind = static_cast<int>(GC_new_kind(GC_new_free_list(), GC_DS_LENGTH, 1, 1));
  const auto allocate = [kind] { GC_debug_generic_or_special_malloc(8, kind, "file.c", 7); };
  make_objects(kLeaked, allocate);
  EXPECT_GE(count_matching(lines_of(collect_cleanly), R"(0x\w+ \(file\.c:7, sz= 8, kind= \d+\))"), kAtLeast);
  GC_register_describe_type_fn(kind, [](void* object, char* buffer) {
    EXPECT_NE(GC_base(object), nullptr);
    GC_free(GC_malloc(8));  // the lock is free
    std::strcpy(buffer, "a magpie");
  });
  make_objects(kLeaked, allocate);
  EXPECT_GE(count_matching(lines_of(collect_cleanly), R"(0x\w+ \(file\.c:7, sz= 8, a magpie\))"), kAtLeast);
}

TEST_F(Leaks, AreNotWhatIsReachableFreedOrUncollectable) {
  auto** const table = static_cast<void**>(GC_malloc_uncollectable(kMany * sizeof(void*)));
  for (std::size_t i = 0; i < kMany; ++i) table[i] = GC_debug_malloc(20, "file.c", 7);
  for (const std::size_t bytes : Sizes{16, 100, 5000, 100'000}) {
    make_objects(100, [bytes] {
      GC_free(GC_malloc(bytes));
      GC_free(GC_malloc_atomic(bytes));
      GC_debug_free(GC_debug_malloc(bytes, "file.c", 8));
    });
  }
  EXPECT_EQ(lines_of(collect_cleanly), std::vector<std::string>{});
  for (std::size_t i = 0; i < kMany; ++i) GC_debug_free(table[i]);
  EXPECT_EQ(lines_of(collect_cleanly), std::vector<std::string>{});
  GC_free(table);
}

TEST_F(Leaks, AreNotWhatAThreadFreedThatIsGone) {
  const auto free_many = [](void*) -> void* {
    std::array<void*, 300> objects{};
    for (const std::size_t bytes : Sizes{16, 100, 1000}) {
      for (void*& object : objects) object = GC_malloc(bytes);
      for (void*& object : objects) {
        GC_free(object);
        object = nullptr;
      }
    }
    return nullptr;
  };
  for (int i = 0; i < 3; ++i) {
    pthread_t thread{};
    ASSERT_EQ(GC_pthread_create(&thread, nullptr, free_many, nullptr), 0);
    ASSERT_EQ(GC_pthread_join(thread, nullptr), 0);
  }
  EXPECT_EQ(lines_of(collect_cleanly), std::vector<std::string>{});
}

TEST_F(Leaks, AreReportedByAllocationToo) {
  make_objects(kLeaked, [] { GC_debug_malloc(20, "file.c", 7); });
  const std::vector<std::string> lines = lines_of([] {
    for (const GC_word collections = GC_get_gc_no(); GC_get_gc_no() == collections;)
      GC_malloc_uncollectable(100'000);
  });
  EXPECT_GE(count_matching(lines, R"(.*file\.c:7, sz= 20, NORMAL\))"), kAtLeast);
}

TEST_F(Leaks, AreReportedByTheFortyAndFreed) {
  const HiddenObjects objects = hidden_objects([] { return GC_debug_malloc(20, "file.c", 7); });
  const std::vector<std::string> lines = lines_of(collect_cleanly);
  ASSERT_EQ(lines.size(), 41U);
  EXPECT_EQ(lines.front(), "Found 40 leaked objects:");
  collect_cleanly();
  EXPECT_LE(objects.still_there(), kFew);
}

TEST_F(Leaks, AreNotFinalizedNorDoLinksDisappear) {
  static int calls = 0;
  static int data = 0;
  GC_finalization_proc old_function = nullptr;
  void* old_data = &data;
  void* const object = GC_malloc(16);
  GC_register_finalizer(
      object, [](void*, void*) { ++calls; }, nullptr, &old_function, &old_data);
  EXPECT_EQ(old_data, &data) << "is not touched";
  void* link = object;
  EXPECT_EQ(GC_general_register_disappearing_link(&link, object), GC_UNIMPLEMENTED);
  EXPECT_EQ(GC_register_long_link(&link, object), GC_UNIMPLEMENTED);
  GC_set_find_leak(0);
  GC_finalize_all();
  EXPECT_EQ(calls, 0);
}

// The word that chains a freed slot to the next is a link that the collection clears.
TEST(LeaksAlone, AreNoFreedObjectsWithLinks) {
  GC_init();
  auto** const holders = static_cast<void**>(GC_malloc_uncollectable(kLeaked * sizeof(void*)));
  make_objects(kLeaked, [&, count = 0]() mutable {
    void* const holder = holders[count++] = GC_malloc(100);
    GC_general_register_disappearing_link(static_cast<void**>(holder), GC_malloc_atomic(64));
  });
  for (std::size_t i = 0; i < kLeaked; ++i) GC_free(std::exchange(holders[i], nullptr));
  GC_set_find_leak(1);
  const std::vector<std::string> lines = lines_of(collect_cleanly);
  GC_set_find_leak(0);
  EXPECT_GE(count_matching(lines, R"(object at 0x\w+ of appr\. \d+ bytes \(atomic\))"), kAtLeast);
  EXPECT_EQ(count_matching(lines, R"(.*\(composite\))"), 0U);
}

TEST(LeaksAlone, AreNotReportedAtFirst) {
  make_objects(kLeaked, [] { GC_malloc(100); });
  EXPECT_EQ(lines_of(collect_cleanly), std::vector<std::string>{});
  EXPECT_EQ(GC_get_find_leak(), 0);
}

[[noreturn]] void leak_and_exit() {
  GC_init();
  make_objects(kLeaked, [] { GC_debug_malloc(20, "file.c", 7); });
  static_cast<void>(std::array<volatile char, 30'000>{});
  std::exit(0);
}

TEST(LeaksDeathTest, AreReportedAtTheEndOfTheProgram) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        GC_set_find_leak(1);
        leak_and_exit();
      },
      testing::ExitedWithCode(0), "file.c:7, sz= 20, NORMAL");
  EXPECT_EXIT(
      {
        setenv("GC_FIND_LEAK", "1", 1);
        leak_and_exit();
      },
      testing::ExitedWithCode(0), "file.c:7, sz= 20, NORMAL");
}

TEST(LeaksDeathTest, EndTheProgramWhereTheEnvironmentSaysSo) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  setenv("GC_ABORT_ON_LEAK", "1", 1);
  EXPECT_DEATH(
      {
        GC_set_find_leak(1);
        make_objects(kLeaked, [] { GC_debug_malloc(20, "file.c", 7); });
        collect_cleanly();
      },
      "there are leaked objects");
}

TEST(LeaksDeathTest, AreNotLookedForWhenMemoryIsExhausted) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        GC_set_find_leak(1);
        GC_init();
        make_objects(kLeaked, [] { GC_malloc(100); });
        GC_abort_on_oom();
      },
      testing::ExitedWithCode(1), "memory is exhausted\n$");
}

}  // namespace
}  // namespace jackdaw::c_interface
