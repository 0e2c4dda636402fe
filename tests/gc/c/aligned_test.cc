// GC_memalign and GC_posix_memalign.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <limits>

#include "tests/gc/c/hidden_objects.h"

namespace jackdaw::c_interface {
namespace {

constexpr std::size_t kLargestAlignment = std::size_t{32} << 20;

TEST(Aligned, ObjectsLieAtMultiplesAndCanBeResizedAndFreed) {
  for (std::size_t alignment = 1; alignment <= kLargestAlignment; alignment *= 2) {
    for (const std::size_t bytes : Sizes{0, 1, 24, 100, 250, 700, 3000, 8191, 8192, 40'000}) {
      auto* object = static_cast<unsigned char*>(GC_memalign(alignment, bytes));
      ASSERT_NE(object, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(object) % alignment, 0U) << alignment << ", " << bytes;
      std::memset(object, 0x5a, bytes);
      object = static_cast<unsigned char*>(GC_realloc(object, bytes + 50'000));
      for (std::size_t i = 0; i < bytes + 50'000; ++i) ASSERT_EQ(object[i], i < bytes ? 0x5a : 0);
      GC_free(object);
    }
  }
}

TEST(Aligned, FreesWhatIsAlignedToMoreThanABlock) {
  GC_gcollect();
  const GC_word collections = GC_get_gc_no();
  const std::size_t heap = GC_get_heap_size();
  for (int i = 0; i < 1000; ++i) GC_free(GC_memalign(std::size_t{1} << 20, 100));
  EXPECT_EQ(GC_get_gc_no(), collections);
  EXPECT_LE(GC_get_heap_size(), heap + (std::size_t{32} << 20));
}

// Large objects of a size that is asked for often share blocks.
TEST(Aligned, ObjectsOfFrequentSizesHaveRoomBehindAnyMultiple) {
  for (const std::size_t alignment : Sizes{4096, 8192, 16'384, 32'768}) {
    for (const std::size_t bytes : Sizes{100, 9000, 20'000, 30'000}) {
      for (int i = 0; i < 40; ++i) {
        auto* const object = static_cast<unsigned char*>(GC_memalign(alignment, bytes));
        ASSERT_NE(object, nullptr);
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(object) % alignment, 0U) << alignment << ", " << bytes;
        const auto* const start = static_cast<const unsigned char*>(GC_base(object));
        ASSERT_NE(start, nullptr);
        ASSERT_GE(start + GC_size(start), object + bytes) << alignment << ", " << bytes;
      }
    }
  }
}

TEST(Aligned, TheAlignedAddressKeepsTheObject) {
  auto** const table = static_cast<void**>(GC_malloc(kMany * sizeof(void*)));
  std::size_t next = 0;
  const HiddenObjects objects =
      hidden_objects([&] { return table[next++] = GC_memalign(std::size_t{64} << 10, 100); });
  collect_cleanly();
  EXPECT_EQ(objects.still_there(), kMany);
  EXPECT_NE(table[0], nullptr);
}

TEST(Aligned, WhatIsNoPowerOfTwoGivesAMultipleOfIt) {
  for (const std::size_t alignment : Sizes{0, 3, 7, 12, 15, 24, 48, 100, 1000, 5000, 16'000}) {
    for (const std::size_t bytes : Sizes{0, 1, 100, 3000, 40'000}) {
      auto* const object = static_cast<unsigned char*>(GC_memalign(alignment, bytes));
      ASSERT_NE(object, nullptr) << alignment << ", " << bytes;
      if (alignment > 16) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(object) % alignment, 0U) << alignment << ", " << bytes;
      }
      const auto* const start = static_cast<const unsigned char*>(GC_base(object));
      ASSERT_NE(start, nullptr);
      EXPECT_GE(start + GC_size(start), object + bytes);
    }
  }
}

TEST(Aligned, NoSizeAndNoAlignmentWraps) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  GC_set_oom_fn([](std::size_t) -> void* { return nullptr; });
  GC_set_warn_proc(GC_ignore_warn_proc);
  for (std::size_t alignment = 16; alignment != 0; alignment *= 2) {
    for (const std::size_t bytes :
         {kMost, kMost - 15, kMost - 4096, kMost / 2, kMost / 2 + 1, kMost / 2 + 30'001}) {
      volatile std::size_t asked = bytes;  // or the compiler warns
      ASSERT_EQ(GC_memalign(alignment, asked), nullptr) << alignment << ' ' << bytes;
      ASSERT_EQ(GC_memalign(alignment - 1, asked), nullptr) << alignment << ' ' << bytes;
      void* object = &object;
      ASSERT_EQ(GC_posix_memalign(&object, alignment, asked), ENOMEM) << alignment << ' ' << bytes;
      ASSERT_EQ(object, &object) << "left alone";
    }
  }
}

TEST(Aligned, RefusesWhatIsNoAlignment) {
  EXPECT_EQ(GC_memalign(20'000, 10), nullptr) << "no power of two, and more than a block";
  volatile std::size_t most = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(GC_memalign(24, most - 1), nullptr);
  void* object = nullptr;
  EXPECT_EQ(GC_posix_memalign(&object, 0, 10), EINVAL);
  EXPECT_EQ(GC_posix_memalign(&object, 24, 10), EINVAL);
  EXPECT_EQ(GC_posix_memalign(&object, 4, 10), EINVAL);
  EXPECT_EQ(GC_posix_memalign(&object, 64, std::numeric_limits<std::size_t>::max() - 1), ENOMEM);
  EXPECT_EQ(object, nullptr);
  EXPECT_EQ(GC_posix_memalign(&object, 64, 10), 0);
  EXPECT_NE(object, nullptr);
}

TEST(Aligned, ToPages) {
  const auto page = static_cast<std::size_t>(getpagesize());
  for (const std::size_t bytes : Sizes{0, 1, 5000, 100'000}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(GC_valloc(bytes)) % page, 0U);
    auto* const pages = static_cast<std::byte*>(GC_pvalloc(bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages) % page, 0U);
    auto* const start = static_cast<std::byte*>(GC_base(pages));
    EXPECT_GE(start + GC_size(start), pages + (bytes + page - 1) / page * page);
  }
  volatile std::size_t most = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(GC_pvalloc(most), nullptr);
  EXPECT_EQ(GC_pvalloc(most - page), nullptr);
}

}  // namespace
}  // namespace jackdaw::c_interface
