// The room that queues in blocks reserve: it takes no memory until it is used, and it is smaller where
// addresses are scarce. A program of its own, because it limits what the process may have.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "base/page_memory.h"
#include "bench/queues/bwos_fifo.h"
#include "mark/queue/bwos_lifo.h"
#include "tests/address_space_limit.h"

namespace jackdaw::bench {
namespace {

std::size_t resident_bytes() {
  std::ifstream statistics("/proc/self/statm");
  std::size_t pages = 0;
  statistics >> pages >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

template <typename Queue>
class QueueRoom : public testing::Test {};
using QueuesInBlocks = testing::Types<mark::BwosLifo<std::uint64_t>, BwosFifo<std::uint64_t>>;
TYPED_TEST_SUITE(QueueRoom, QueuesInBlocks);

TYPED_TEST(QueueRoom, TakesNoMemoryUntilItIsUsed) {
  constexpr std::size_t kQueues = 100;
  std::vector<std::unique_ptr<TypeParam>> queues(kQueues);
  const std::size_t before = resident_bytes();
  for (auto& queue : queues) {
    queue = std::make_unique<TypeParam>();
    ASSERT_TRUE(queue->push(1));
  }
  EXPECT_LT(resident_bytes() - before, kQueues * 6 * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
}

TYPED_TEST(QueueRoom, TakesNoMemoryWhereAllThatIsMappedIsLocked) {
  if (mlockall(MCL_FUTURE) != 0) GTEST_SKIP() << "the system allows no locks";
  const std::size_t before = resident_bytes();
  {
    TypeParam queue;
    EXPECT_TRUE(queue.push(1));
    EXPECT_LT(resident_bytes() - before, std::size_t{1} << 20);
  }
  munlockall();
}

TYPED_TEST(QueueRoom, IsSmallerWhereAddressesAreScarce) {
  const AddressSpaceLimit limit(std::size_t{1} << 20);
  TypeParam queue;
  std::uint64_t count = 0;
  while (queue.push(count)) ++count;
  EXPECT_GE(count, 8 * mark::BlockRing::kDefaultBlockSize);
  EXPECT_LT(count, (std::size_t{1} << 20) / sizeof(count));
  std::uint64_t task = 0;
  std::uint64_t popped = 0;
  while (queue.pop(task)) ++popped;
  EXPECT_EQ(popped, count);
}

TYPED_TEST(QueueRoom, IsRefusedWhereThereIsNone) {
  const AddressSpaceLimit limit(0);
  EXPECT_THROW(TypeParam(), std::bad_alloc);
}

// Where much could be had, the queues of all processors take a part of it alone: the heap needs the rest.
TYPED_TEST(QueueRoom, IsASmallPartOfWhatMayBeHad) {
  const AddressSpaceLimit limit(std::size_t{128} << 20);
  std::vector<std::unique_ptr<TypeParam>> queues(256);
  for (auto& queue : queues) queue = std::make_unique<TypeParam>();
  const std::span<std::byte> rest = base::PageMemory::allocate(std::size_t{64} << 20);
  EXPECT_FALSE(rest.empty());
  base::PageMemory::release(rest);
}

TEST(BwosLifoRoom, GoesBackToTheSystemWhenItIsNotUsedAnyMore) {
  constexpr std::uint64_t kMany = 1'000'000;
  mark::BwosLifo<std::uint64_t> queue;
  const std::size_t before = resident_bytes();
  for (std::uint64_t i = 0; i < kMany; ++i) ASSERT_TRUE(queue.push(i));
  ASSERT_GE(resident_bytes() - before, kMany * sizeof(std::uint64_t) / 2);
  for (std::uint64_t task = 0; queue.pop(task);) continue;
  for (int round = 0; round < 100; ++round) queue.give_memory_back();
  EXPECT_LT(resident_bytes() - before, kMany * sizeof(std::uint64_t) / 4);
}

TEST(QueueRoomOfASystem, IsNotThereWhereAllOfItCountsAsUsed) {
  const std::string file = testing::TempDir() + "overcommit_" + std::to_string(getpid());
  const auto can_spare = [&](const char* mode) {
    std::ofstream(file) << mode << '\n';
    return base::PageMemory::can_spare(std::size_t{1} << 20, file.c_str());
  };
  EXPECT_TRUE(can_spare("0"));
  EXPECT_TRUE(can_spare("1"));
  EXPECT_FALSE(can_spare("2"));
  std::remove(file.c_str());
  EXPECT_TRUE(base::PageMemory::can_spare(std::size_t{1} << 20, file.c_str())) << "the system does not say";
}

}  // namespace
}  // namespace jackdaw::bench
