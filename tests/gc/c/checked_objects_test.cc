// Allocation with checks: what is written beyond an object is reported, by the function it goes back to or by
// a collection; what is not is not.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "gc/c/settings.h"
#include "tests/gc/c/hidden_objects.h"

namespace jackdaw::c_interface {
namespace {

// Captures the text that is written to the log while it exists.
class Log {
 public:
  Log() : before_(settings.log_descriptor) {
    if (pipe(ends_.data()) != 0) ADD_FAILURE() << "no pipe";
    settings.log_descriptor = ends_[1];
  }
  ~Log() {
    settings.log_descriptor = before_;
    for (const int end : ends_) close(end);
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Since the last call.
  std::string text() {
    // The pipe is not empty then, so that reading does not wait.
    if (write(ends_[1], "$", 1) != 1) return "?";
    std::array<char, 8192> bytes;
    const ssize_t count = read(ends_[0], bytes.data(), bytes.size());
    return {bytes.data(), static_cast<std::size_t>(count) - 1};
  }

 private:
  const int before_;
  std::array<int, 2> ends_{};
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Out of the compiler's sight, which knows how long objects are. Not a byte of any guard.
[[gnu::noinline]] void smash(char* object, std::ptrdiff_t at) { object[at] = 0; }

// The end of the last word of `bytes`.
std::size_t words_end(std::size_t bytes) {
  return (bytes + sizeof(void*) - 1) / sizeof(void*) * sizeof(void*);
}

using Allocate = void* (*)(std::size_t, const char*, int);
constexpr std::array<Allocate, 7> kAllocate = {
    GC_debug_malloc,
    GC_debug_malloc_atomic,
    GC_debug_malloc_uncollectable,
    GC_debug_malloc_atomic_uncollectable,
    GC_debug_malloc_ignore_off_page,
    GC_debug_malloc_atomic_ignore_off_page,
    GC_debug_malloc_stubborn,
};

TEST(CheckedObjects, AreWholeAndNothingIsReported) {
  const GC_word uncollectable = GC_non_gc_bytes;
  Log log;
  for (const Allocate allocate : kAllocate) {
    for (const std::size_t bytes : Sizes{0, 1, 7, 8, 9, 100, 5000, 100'000}) {
      auto* const object = static_cast<char*>(allocate(bytes, "file.c", 7));
      ASSERT_NE(object, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(object) % 16, 0U);
      EXPECT_EQ(GC_USR_PTR_FROM_BASE(GC_base(object)), object);
      std::memset(object, 'x', bytes);
      GC_gcollect();
      for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(object[i], 'x');
      GC_debug_free(object);
    }
  }
  GC_debug_free(nullptr);
  EXPECT_EQ(GC_non_gc_bytes, uncollectable);
  EXPECT_EQ(log.text(), "");
}

TEST(CheckedObjects, TheWholeLastWordIsTheProgramsAndZero) {
  Log log;
  for (const Allocate allocate : kAllocate) {
    for (const std::size_t bytes : Sizes{1, 7, 9, 17, 101, 5001, 100'001}) {
      auto* const object = static_cast<char*>(allocate(bytes, "file.c", 7));
      for (std::size_t i = 0; i < words_end(bytes); ++i) ASSERT_EQ(object[i], 0) << bytes;
      std::memset(object, 'x', words_end(bytes));
      GC_gcollect();
      GC_debug_free(object);
    }
  }
  EXPECT_EQ(log.text(), "");
}

TEST(CheckedObjects, AWriteBehindTheEndIsReportedWhenTheyAreFreed) {
  Log log;
  for (const Allocate allocate : kAllocate) {
    for (const std::size_t bytes : Sizes{0, 1, 7, 8, 9, 100, 5000, 100'000}) {
      auto* const object = static_cast<char*>(allocate(bytes, "file.c", 7));
      smash(object, static_cast<std::ptrdiff_t>(words_end(bytes)));
      GC_debug_free(object);
      const std::string text = log.text();
      EXPECT_TRUE(contains(text, "behind the end")) << text;
      EXPECT_TRUE(contains(text, "of " + std::to_string(bytes) + " bytes, allocated at file.c:7")) << text;
    }
  }
}

TEST(CheckedObjects, AWriteBeforeTheStartIsReportedWhenTheyAreFreed) {
  Log log;
  auto* const object = static_cast<char*>(GC_debug_malloc(10, "file.c", 7));
  smash(object, -1);
  GC_debug_free(object);
  EXPECT_TRUE(contains(log.text(), "before the start"));
}

TEST(CheckedObjects, ACollectionReportsThem) {
  Log log;
  const HiddenObjects objects = hidden_objects([] { return GC_debug_malloc(20, "file.c", 7); });
  auto* const object = static_cast<char*>(GC_debug_malloc_replacement(10));
  GC_gcollect();
  EXPECT_EQ(log.text(), "");
  smash(object, 16);
  GC_gcollect();
  EXPECT_TRUE(contains(log.text(), "of 10 bytes, allocated at unknown:0"));
  smash(object, -1);
  GC_gcollect();
  EXPECT_TRUE(contains(log.text(), "before the start"));
  GC_free(GC_base(object));
}

TEST(CheckedObjects, AreCollected) {
  const HiddenObjects objects = hidden_objects([] { return GC_debug_malloc(20, "file.c", 7); });
  const HiddenObjects data = hidden_objects([] { return GC_debug_malloc_atomic(20, "file.c", 7); });
  collect_cleanly();
  EXPECT_LE(objects.still_there() + data.still_there(), 2 * kFew);
}

TEST(CheckedObjects, AreResized) {
  Log log;
  auto* object = static_cast<char*>(GC_debug_realloc(nullptr, 10, "file.c", 7));
  std::memset(object, 'x', 10);
  object = static_cast<char*>(GC_debug_realloc(object, 1000, "file.c", 8));
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(object[i], i < 10 ? 'x' : 0);
  object = static_cast<char*>(GC_debug_realloc_replacement(object, 5));
  EXPECT_EQ(object[4], 'x');
  EXPECT_EQ(log.text(), "");
  smash(object, 8);
  EXPECT_EQ(GC_debug_realloc(object, 0, "file.c", 9), nullptr);
  EXPECT_TRUE(contains(log.text(), "of 5 bytes"));
  const GC_word before = GC_non_gc_bytes;
  void* const uncollectable = GC_debug_malloc_atomic_uncollectable(10, "file.c", 7);
  void* const resized = GC_debug_realloc(uncollectable, 1000, "file.c", 7);
  EXPECT_EQ(GC_get_kind_and_size(GC_base(resized), nullptr), 3);
  EXPECT_EQ(GC_non_gc_bytes - before, GC_size(GC_base(resized)));
}

TEST(CheckedObjects, CopiesOfStringsAreChecked) {
  Log log;
  EXPECT_STREQ(GC_debug_strdup("text", "file.c", 7), "text");
  EXPECT_EQ(GC_debug_strdup(nullptr, "file.c", 7), nullptr);
  EXPECT_STREQ(GC_debug_wcsdup(L"wide", "file.c", 7), L"wide");
  char* const copy = GC_debug_strndup("text", 2, "file.c", 7);
  EXPECT_STREQ(copy, "te");
  smash(copy, 8);
  GC_debug_free(copy);
  EXPECT_TRUE(contains(log.text(), "of 3 bytes"));
}

TEST(CheckedObjects, AreRefusedWhenTheyAreTooBig) {
  volatile std::size_t bytes = std::numeric_limits<std::size_t>::max();
  for (const std::size_t less : Sizes{0, 8, 40, 100}) {
    for (const Allocate allocate : kAllocate) EXPECT_EQ(allocate(bytes - less, "file.c", 7), nullptr);
  }
  EXPECT_EQ(GC_get_debug_header_size(), GC_debug_header_size);
}

TEST(CheckedObjects, WhatHasNoChecksIsFreedAndResizedAndReported) {
  Log log;
  auto* plain = static_cast<char*>(GC_malloc(100));
  std::memset(plain, 'x', 100);
  plain = static_cast<char*>(GC_debug_realloc(plain, 1000, "file.c", 7));
  EXPECT_TRUE(contains(log.text(), "GC_debug_realloc was given")) << "and the program goes on";
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(plain[i], i < 100 ? 'x' : 0);
  EXPECT_EQ(GC_base(plain), plain) << "it has no header now, either";
  GC_debug_free(plain);
  EXPECT_TRUE(contains(log.text(), "which no allocation with checks returned"));
  EXPECT_TRUE(is_given_out_again(plain, 1000));
}

TEST(CheckedObjects, WhatIsFreedTwiceIsReported) {
  Log log;
  void* const object = GC_debug_malloc(100, "file.c", 7);
  GC_debug_free(object);
  GC_debug_free(object);
  EXPECT_TRUE(contains(log.text(), "which was freed before"));
  GC_debug_free(static_cast<char*>(object) + 8);
  EXPECT_TRUE(contains(log.text(), "which was freed before"));
  EXPECT_NE(GC_debug_realloc(object, 10, "file.c", 7), object);
  EXPECT_TRUE(contains(log.text(), "GC_debug_realloc was given"));
  EXPECT_NE(GC_debug_malloc(100, "file.c", 7), GC_debug_malloc(100, "file.c", 7)) << "and is free once";
}

TEST(CheckedObjects, FinalizersOfWhatHasNoChecksAreReportedAndGetTheObject) {
  Log log;
  static std::size_t finalized = 0;
  static std::size_t wrong = 0;
  const HiddenObjects objects = hidden_objects([&log] {
    auto** const object = static_cast<void**>(GC_malloc(20));
    *object = reinterpret_cast<void*>(0x1234);  // NOLINT(performance-no-int-to-ptr): a mark
    GC_debug_register_finalizer_no_order(
        object,
        [](void* dead, void*) {
          ++finalized;
          wrong += *static_cast<void**>(dead) == reinterpret_cast<void*>(0x1234) ? 0U : 1U;  // NOLINT
        },
        nullptr, nullptr, nullptr);
    EXPECT_TRUE(contains(log.text(), "which no allocation with checks returned"));
    return static_cast<void*>(object);
  });
  collect_cleanly();
  EXPECT_GE(finalized, kMany - kFew);
  EXPECT_EQ(wrong, 0U);
}

TEST(CheckedObjectsDeathTest, WhatIsNoObjectEndsTheProgram) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  static char of_the_program[100];
  EXPECT_DEATH(GC_debug_free(of_the_program), "GC_debug_free was given .*, which is no object's address");
  EXPECT_DEATH(GC_debug_realloc(of_the_program, 10, "file.c", 7), "GC_debug_realloc was given");
  void* const object = GC_debug_malloc(100, "file.c", 7);
  EXPECT_DEATH(GC_debug_realloc(static_cast<char*>(object) + 8, 10, "file.c", 7), "cannot go on");
}

TEST(CheckedObjects, AreFreedWhenTheyCannotBeResized) {
  Log log;
  auto* object = static_cast<char*>(GC_debug_reallocf(nullptr, 10, "file.c", 7));
  *object = 'x';
  object = static_cast<char*>(GC_debug_reallocf_replacement(object, 100));
  EXPECT_EQ(*object, 'x');
  volatile std::size_t most = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(GC_debug_reallocf(object, most, "file.c", 7), nullptr);
  GC_debug_free(object);
  EXPECT_TRUE(contains(log.text(), "which was freed before"));
}

// This reads freed memory. Large objects are not cleared anyway.
TEST(CheckedObjects, AreClearedWhenTheyAreFreed) {
  constexpr std::size_t kBytes = 100'000;
  Log log;
  auto* const object = static_cast<char*>(GC_debug_malloc_atomic(kBytes, "file.c", 7));
  std::memset(object, 'x', kBytes);
  GC_debug_freezero(object, kBytes / 2);
  EXPECT_EQ(object[0], 0);
  EXPECT_EQ(object[kBytes / 2 - 1], 0);
  EXPECT_EQ(object[kBytes / 2], 'x');
  EXPECT_EQ(log.text(), "");
  auto* const small = static_cast<char*>(GC_debug_malloc_atomic(100, "file.c", 7));
  GC_debug_freezero(small, ~std::size_t{0});
  GC_debug_freezero(small, 100);
  EXPECT_TRUE(contains(log.text(), "which was freed before"));
  auto* const plain = static_cast<char*>(GC_malloc_atomic(100));
  std::memset(plain, 'x', 100);
  GC_debug_freezero(plain, ~std::size_t{0});
  EXPECT_EQ(plain[99], 0);
  EXPECT_TRUE(contains(log.text(), "which no allocation with checks returned"));
  GC_debug_freezero(nullptr, 100);
}

TEST(CheckedObjects, WithoutFileAndLineMayBeUncollectable) {
  const GC_word before = GC_get_non_gc_bytes();
  void* const object = GC_debug_malloc_uncollectable_replacement(100);
  EXPECT_GE(GC_get_non_gc_bytes(), before + 100);
  GC_debug_free(object);
  EXPECT_EQ(GC_get_non_gc_bytes(), before);
}

}  // namespace
}  // namespace jackdaw::c_interface
