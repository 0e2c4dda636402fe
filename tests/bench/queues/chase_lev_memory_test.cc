// The Chase-Lev deque is full when there is no memory to grow. A program of its own, because it limits what
// the process may have.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>

#include "bench/queues/chase_lev.h"

namespace jackdaw::bench {
namespace {

// While it lives, the process gets no more memory from the system.
class NoMoreMemory {
 public:
  NoMoreMemory() {
    EXPECT_EQ(getrlimit(RLIMIT_AS, &before_), 0);
    rlimit none = before_;
    none.rlim_cur = 0;
    EXPECT_EQ(setrlimit(RLIMIT_AS, &none), 0);
  }
  ~NoMoreMemory() { EXPECT_EQ(setrlimit(RLIMIT_AS, &before_), 0); }
  NoMoreMemory(const NoMoreMemory&) = delete;
  NoMoreMemory& operator=(const NoMoreMemory&) = delete;

 private:
  rlimit before_{};
};

using Queue = ChaseLevDeque<std::uint64_t>;

TEST(ChaseLevDeque, IsFullWhenThereIsNoMemoryToGrow) {
  Queue queue(1, 4);
  std::uint64_t task = 0;
  for (std::uint64_t i = 0; i < 4; ++i) ASSERT_TRUE(queue.push(i));
  {
    const NoMoreMemory limit;
    EXPECT_FALSE(queue.push(4));
    EXPECT_FALSE(queue.push(4));
  }
  EXPECT_EQ(queue.size_hint(), 4U);
  EXPECT_EQ(queue.memory_bytes(), 4 * sizeof(std::uint64_t));
  EXPECT_TRUE(queue.push(4));
  for (std::uint64_t i = 5; i-- > 0;) {
    ASSERT_TRUE(queue.pop(task));
    EXPECT_EQ(task, i);
  }
}

}  // namespace
}  // namespace jackdaw::bench
