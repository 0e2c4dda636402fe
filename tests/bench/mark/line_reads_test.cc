// That what is measured is what is said: memory of whole lines that is really there, and reads by all
// threads.
#include "bench/mark/line_reads.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "mark/thread_pool.h"
#include "tools/command/input_error.h"

namespace jackdaw::bench {
namespace {

TEST(LineMemory, IsWholeLinesRoundedUp) {
  EXPECT_EQ(LineMemory(0, PageKind::small).lines(), 1U);
  EXPECT_EQ(LineMemory(64, PageKind::small).lines(), 1U);
  EXPECT_EQ(LineMemory(65, PageKind::small).lines(), 2U);
  const LineMemory memory(1'000'000, PageKind::small);
  EXPECT_EQ(memory.lines(), 15'625U);
  EXPECT_EQ(memory.bytes(), 1'000'000U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&memory.word_of(0)) % kLineBytes, 0U);
  EXPECT_EQ(&memory.word_of(15'624) - &memory.word_of(0), 15'624 * 8);
}

// Memory that was never written is the zero page, of which all reads would hit one line.
TEST(LineMemory, IsPresent) {
  const LineMemory memory(std::uint64_t{8} << 20, PageKind::small);
  std::vector<unsigned char> present(memory.bytes() / 4096);
  auto* const start = const_cast<std::uint64_t*>(&memory.word_of(0));
  ASSERT_EQ(mincore(start, memory.bytes(), present.data()), 0);
  for (std::size_t page = 0; page < present.size(); ++page) ASSERT_EQ(present[page] & 1, 1) << page;
  for (std::uint64_t line = 0; line < memory.lines(); ++line) ASSERT_EQ(memory.word_of(line), 1U);
}

TEST(LineMemory, OfSmallPagesHasNoHugeOnes) {
  EXPECT_EQ(LineMemory(std::uint64_t{8} << 20, PageKind::small).bytes_on_huge_pages(), 0U);
  const LineMemory huge(std::uint64_t{8} << 20, PageKind::huge);
  EXPECT_LE(huge.bytes_on_huge_pages(), huge.bytes());
}

TEST(LineMemory, RefusesWhatDoesNotFit) {
  EXPECT_THROW(LineMemory(std::uint64_t{1} << 60, PageKind::small), tools::InputError);
  EXPECT_THROW(LineMemory(std::numeric_limits<std::uint64_t>::max(), PageKind::huge), tools::InputError);
}

TEST(ReadLines, TakesTimeInEveryOrderWithAnyNumberOfThreads) {
  const LineMemory memory(std::uint64_t{1} << 20, PageKind::small);
  for (const std::uint32_t threads : {1U, 2U, 5U}) {
    mark::ThreadPool pool(threads);
    for (const auto& [name, order] : kReadOrders) {
      EXPECT_GT(read_lines(memory, order, memory.lines(), 1, pool).count(), 0) << name << ' ' << threads;
      EXPECT_GT(read_lines(memory, order, 1, 1, pool).count(), 0) << "fewer lines than threads";
    }
  }
}

}  // namespace
}  // namespace jackdaw::bench
