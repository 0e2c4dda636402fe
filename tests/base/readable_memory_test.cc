// These tests ask which pages can be read, of mappings in which some are protected or gone: the system is
// asked, or loads are tried.
#include "base/readable_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/guarded_loads.h"
#include "tests/deny_system_call.h"

namespace jackdaw::base {
namespace {

enum class Way { system_calls, loads };

class ReadableMemory : public testing::TestWithParam<Way> {
 protected:
  static constexpr std::size_t kPages = 8;

  ReadableMemory()
      : memory_(mmap(nullptr, kPages * page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                     0)) {
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    if (GetParam() == Way::loads) loads_.emplace();
  }
  ~ReadableMemory() override { munmap(memory_, kPages * page_bytes()); }

  static std::size_t page_bytes() { return static_cast<std::size_t>(getpagesize()); }
  [[nodiscard]] std::uintptr_t page(std::size_t index) const {
    return reinterpret_cast<std::uintptr_t>(memory_) + index * page_bytes();
  }
  [[nodiscard]] void* page_pointer(std::size_t index) const {
    return static_cast<char*>(memory_) + index * page_bytes();
  }
  // The ranges that for_each_readable reports, as byte offsets.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> readable(AddressRange range) const {
    std::vector<std::pair<std::size_t, std::size_t>> parts;
    for_each_readable(
        range, [&](AddressRange part) { parts.emplace_back(part.begin - page(0), part.end - page(0)); });
    return parts;
  }

 private:
  void* memory_;
  std::optional<GuardedLoads> loads_;
};

INSTANTIATE_TEST_SUITE_P(, ReadableMemory, testing::Values(Way::system_calls, Way::loads),
                         [](const auto& info) { return info.param == Way::loads ? "Loads" : "SystemCalls"; });

using Parts = std::vector<std::pair<std::size_t, std::size_t>>;

TEST_P(ReadableMemory, IsAllOfAMapping) {
  const AddressRange all{page(0), page(kPages)};
  EXPECT_EQ(first_readable(all).begin, all.begin);
  EXPECT_EQ(first_readable(all).end, all.end);
  EXPECT_EQ(readable_prefix(all).end, all.end);
  EXPECT_EQ(readable({page(0) + 24, page(2) + 16}), (Parts{{24, 2 * page_bytes() + 16}}));
}

TEST_P(ReadableMemory, LeavesProtectedPagesOut) {
  ASSERT_EQ(mprotect(page_pointer(2), 2 * page_bytes(), PROT_NONE), 0);
  EXPECT_EQ(readable({page(0) + 8, page(kPages)}),
            (Parts{{8, 2 * page_bytes()}, {4 * page_bytes(), kPages * page_bytes()}}));
  EXPECT_EQ(readable_prefix({page(1), page(kPages)}).end, page(2));
  EXPECT_TRUE(readable_prefix({page(3), page(kPages)}).empty());
}

TEST_P(ReadableMemory, LeavesPagesOutThatAreGone) {
  ASSERT_EQ(munmap(page_pointer(kPages - 1), page_bytes()), 0);
  EXPECT_EQ(readable({page(0), page(kPages)}), (Parts{{0, (kPages - 1) * page_bytes()}}));
  EXPECT_TRUE(first_readable({page(kPages - 1), page(kPages)}).empty());
}

// To read there ends the program with a signal.
TEST_P(ReadableMemory, LeavesOutWhatLiesBehindAFilesEnd) {
  const int file = memfd_create("short", 0);
  ASSERT_GE(file, 0);
  ASSERT_EQ(ftruncate(file, static_cast<off_t>(page_bytes())), 0);
  ASSERT_NE(mmap(page_pointer(2), 3 * page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0),
            MAP_FAILED);
  close(file);
  EXPECT_EQ(readable({page(0), page(kPages)}),
            (Parts{{0, 3 * page_bytes()}, {5 * page_bytes(), kPages * page_bytes()}}));
}

TEST_P(ReadableMemory, IsFoundPageByPage) {
  ASSERT_EQ(mprotect(page_pointer(0), page_bytes(), PROT_NONE), 0);
  ASSERT_EQ(mprotect(page_pointer(1), page_bytes(), PROT_READ), 0);
  ASSERT_EQ(mprotect(page_pointer(3), page_bytes(), PROT_NONE), 0);
  EXPECT_FALSE(is_readable(page(0)));
  EXPECT_TRUE(is_readable(page(1)));
  EXPECT_TRUE(is_readable(page(2) + 1));
  EXPECT_FALSE(is_readable(page(3)));
  EXPECT_FALSE(is_readable(0));
  const AddressRange found = first_readable({page(0), page(3) + 8});
  EXPECT_EQ(found.begin, page(1));
  EXPECT_EQ(found.end, page(3));
  EXPECT_TRUE(readable_prefix({page(0), page(3)}).empty());
  EXPECT_EQ(readable_prefix({page(1) + 8, page(2) + 16}).end, page(2) + 16);
  EXPECT_TRUE(first_readable({page(3), page(3) + 8}).empty());
}

TEST_P(ReadableMemory, IsAskedForWithoutAWordInErrno) {
  ASSERT_EQ(mprotect(page_pointer(2), page_bytes(), PROT_NONE), 0);
  errno = 5;
  EXPECT_FALSE(first_readable({page(0), page(kPages)}).empty());
  EXPECT_EQ(errno, 5);
}

TEST_P(ReadableMemory, IsNoneOfAnEmptyRange) {
  EXPECT_TRUE(first_readable({page(1), page(1)}).empty());
  EXPECT_TRUE(first_readable({page(2), page(1)}).empty());
}

TEST_P(ReadableMemory, GoesOnBelowUpToAGap) {
  ASSERT_EQ(munmap(page_pointer(1), page_bytes()), 0);
  const AddressRange last{page(kPages - 1) + 8, page(kPages)};
  EXPECT_EQ(with_mapped_below(last).begin, page(2));
  EXPECT_EQ(with_mapped_below(last).end, page(kPages));
  ASSERT_EQ(mprotect(page_pointer(4), page_bytes(), PROT_NONE), 0);
  EXPECT_EQ(with_mapped_below(last).begin, page(2));
  EXPECT_EQ(with_mapped_below({page(5), page(6)}).begin, page(5));
  EXPECT_EQ(with_mapped_below({page(2), page(3)}).begin, page(2));
}

TEST_P(ReadableMemory, GoesOnBelowWhereTheSystemRefusesToAnswer) {
  std::thread([&] {
    ASSERT_TRUE(deny(SYS_msync, EPERM));
    // The start of a thread could have filled an earlier gap: sanitizers map pages then.
    ASSERT_EQ(munmap(page_pointer(1), page_bytes()), 0);
    EXPECT_EQ(with_mapped_below({page(kPages - 1), page(kPages)}).begin, page(2));
  }).join();
}

}  // namespace
}  // namespace jackdaw::base
