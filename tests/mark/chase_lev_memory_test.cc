// The Chase-Lev deque is full when there is no memory to grow. A program of its own, because it replaces
// operator new.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <new>

#include "mark/queue/chase_lev.h"

namespace {

// While set, arrays that may fail to be allocated do.
bool g_memory_is_short = false;

}  // namespace

void* operator new[](std::size_t size, const std::nothrow_t& /*unused*/) noexcept {
  if (g_memory_is_short) return nullptr;
  try {
    return ::operator new[](size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

namespace jackdaw::mark {
namespace {

using Queue = ChaseLevDeque<std::uint64_t>;

TEST(ChaseLevDeque, IsFullWhenThereIsNoMemoryToGrow) {
  Queue queue(1, 4);
  std::uint64_t task = 0;
  for (std::uint64_t i = 0; i < 4; ++i) ASSERT_TRUE(queue.push(i));
  g_memory_is_short = true;
  const bool pushed = queue.push(4);
  const bool pushed_again = queue.push(4);
  g_memory_is_short = false;
  EXPECT_FALSE(pushed);
  EXPECT_FALSE(pushed_again);
  EXPECT_EQ(queue.size_hint(), 4U);
  EXPECT_EQ(queue.memory_bytes(), 4 * sizeof(std::uint64_t));
  EXPECT_TRUE(queue.push(4));
  for (std::uint64_t i = 5; i-- > 0;) {
    ASSERT_TRUE(queue.pop(task));
    EXPECT_EQ(task, i);
  }
}

}  // namespace
}  // namespace jackdaw::mark
