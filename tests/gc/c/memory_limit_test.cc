// Programs in control groups of our own making, whose files say what we write.
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>

#include "gc/c/settings.h"
#include "gc/c/start.h"
#include "tests/deny_system_call.h"
#include "tests/environment_variable.h"
#include "tests/gc/c/hidden.h"
#include "tests/kernel_files.h"

namespace jackdaw::c_interface {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;
constexpr std::size_t kLimit = 64 * kMebibyte;

class CMemoryLimit : public testing::Test {
 protected:
  CMemoryLimit() {
    files_.put_into_group("/job", "memory.max", std::to_string(kLimit));
    set_usage(0);
    initial_options().kernel_folders = files_.folders();
  }

  void set_usage(std::size_t bytes) const {
    files_.write("cgroup/job/memory.current", std::to_string(bytes));
  }
  // These files are in use.
  void set_active_cache(std::size_t bytes) const {
    files_.write("cgroup/job/memory.stat", "inactive_file 0\nactive_file " + std::to_string(bytes) + "\n");
  }

 private:
  const KernelFiles files_;
};

// Makes a list until there is no memory, or it has `most` bytes, drops it, and returns the heap's size.
[[gnu::noinline]] std::size_t fill_heap(std::size_t most) {
  void* list = nullptr;
  for (std::size_t bytes = 0; bytes < most; bytes += 1000) {
    auto** const object = static_cast<void**>(GC_malloc(1000));
    if (object == nullptr) break;
    *object = list;
    list = object;
  }
  GC_reachable_here(list);
  return GC_get_heap_size();
}

TEST_F(CMemoryLimit, AProgramGetsNoMoreThanItsGroupHas) {
  const std::size_t heap = fill_heap(2 * kLimit);
  EXPECT_LT(heap, kLimit);
  EXPECT_GT(heap, kLimit * 15 / 16);
  EXPECT_GT(GC_get_gc_no(), 0U) << "it was tried";
  clean_stack();
  EXPECT_NE(GC_malloc(kMebibyte), nullptr) << "the list is gone";
}

TEST_F(CMemoryLimit, GarbageIsCollectedBeforeTheReserveIsUsed) {
  GC_set_free_space_divisor(1);
  GC_set_min_bytes_allocd(8 * kLimit);
  for (std::size_t bytes = 0; bytes < 4 * kLimit; bytes += kMebibyte)
    ASSERT_NE(GC_malloc(kMebibyte), nullptr);
  EXPECT_LE(GC_get_heap_size(), kLimit * 15 / 16);
  EXPECT_GT(GC_get_gc_no(), 2U);
}

TEST_F(CMemoryLimit, WhatOthersNeedIsGivenBackAfterACollection) {
  fill_heap(40 * kMebibyte);
  clean_stack();
  GC_gcollect();
  EXPECT_GT(GC_get_heap_size(), 40 * kMebibyte) << "nobody needs it";
  set_usage(kLimit);
  GC_gcollect();
  EXPECT_LT(GC_get_heap_size(), 10 * kMebibyte);
}

TEST_F(CMemoryLimit, WhatOthersTookInTheMeantimeIsNotTaken) {
  fill_heap(20 * kMebibyte);
  set_usage(kLimit);
  EXPECT_LT(fill_heap(kLimit), 40 * kMebibyte);
}

TEST_F(CMemoryLimit, TheCacheOfFilesInUseIsTakenAtLast) {
  set_usage(kLimit);
  EXPECT_LT(fill_heap(2 * kLimit), 20 * kMebibyte);
  clean_stack();
  set_active_cache(40 * kMebibyte);
  EXPECT_GT(fill_heap(2 * kLimit), 50 * kMebibyte);
}

TEST_F(CMemoryLimit, TheProgramsOwnMaximumHolds) {
  GC_set_max_heap_size(30 * kMebibyte);
  EXPECT_LE(fill_heap(kLimit), 30 * kMebibyte);
  clean_stack();
  GC_set_max_heap_size(0);
  EXPECT_GT(fill_heap(kLimit), 40 * kMebibyte);
  GC_set_max_heap_size(2 * kLimit);
  EXPECT_LT(fill_heap(2 * kLimit), kLimit);
}

// Refusals under the old maximum do not say whether a collection is worth its time under the new one.
TEST_F(CMemoryLimit, ThereIsACollectionAtTheFirstRefusalUnderANewMaximum) {
  constexpr std::size_t kCount = 40;
  GC_set_min_bytes_allocd(8 * kLimit);
  GC_set_max_heap_size((kCount + 4) * kMebibyte);
  static void* objects[kCount];
  for (void*& object : objects) object = GC_malloc_atomic(kMebibyte);
  GC_gcollect();
  for (int refused = 0; refused < 3; ++refused) EXPECT_EQ(GC_malloc_atomic(kCount / 2 * kMebibyte), nullptr);
  std::fill_n(objects, kCount, nullptr);
  clean_stack();
  GC_set_max_heap_size((kCount + 5) * kMebibyte);
  EXPECT_NE(GC_malloc_atomic(kCount / 2 * kMebibyte), nullptr);
}

TEST_F(CMemoryLimit, AProgramMayIgnoreIt) {
  const Variable limit("JACKDAW_MEMORY_LIMIT", "none");
  EXPECT_GT(fill_heap(2 * kLimit), 2 * kLimit);
}

TEST_F(CMemoryLimit, AProgramMayLimitItself) {
  set_usage(0);
  const Variable limit("JACKDAW_MEMORY_LIMIT", "50%");
  const std::size_t filled = fill_heap(2 * kLimit);
  EXPECT_GT(filled, kLimit / 4);
  EXPECT_LT(filled, kLimit / 2);
}

TEST_F(CMemoryLimit, AProgramMayLimitItsResidentMemory) {
  set_usage(0);
  const Variable limit("JACKDAW_MEMORY_LIMIT", "32m");
  const std::size_t filled = fill_heap(2 * kLimit);
  EXPECT_GT(filled, kLimit / 4);
  EXPECT_LT(filled, kLimit / 2);
}

// Such a program may end for a file that is opened.
TEST_F(CMemoryLimit, AProgramThatFiltersItsSystemCallsIsAskedForNothing) {
  EXPECT_EXIT(
      {
        GC_init();
        GC_start_mark_threads();
        if (!forbid(SYS_openat)) std::_Exit(2);
        std::_Exit(fill_heap(2 * kLimit) > 2 * kLimit ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace jackdaw::c_interface
