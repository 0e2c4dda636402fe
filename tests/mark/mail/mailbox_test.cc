// Mailboxes: blocks come out as they went in, once each, whoever takes them.
#include "mark/mail/mailbox.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include "tests/mark/sanitized.h"

namespace jackdaw::mark {
namespace {

using Box = Mailbox<std::uint64_t, 2, 4>;
using Room = std::array<std::uint64_t, Box::kBlockTasks>;

TEST(Mailbox, GivesBlocksAsTheyWere) {
  Box box;
  Room room{};
  EXPECT_TRUE(box.is_empty());
  EXPECT_EQ(box.take(room), 0U);
  for (std::uint64_t round = 0; round < 10; ++round) {
    const std::vector<std::uint64_t> whole{round, 1, 2, 3};
    const std::vector<std::uint64_t> part{10 * round};
    ASSERT_TRUE(box.post(whole));
    ASSERT_TRUE(box.post(part));
    EXPECT_FALSE(box.is_empty());
    std::multiset<std::vector<std::uint64_t>> blocks;
    for (int i = 0; i < 2; ++i) {
      const std::size_t count = box.take(room);
      blocks.emplace(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(count));
    }
    EXPECT_EQ(blocks, (std::multiset<std::vector<std::uint64_t>>{whole, part}));
    EXPECT_TRUE(box.is_empty());
  }
}

TEST(Mailbox, RefusesWhatThereIsNoSlotForAndKeepsTheRest) {
  Box box;
  const std::vector<std::uint64_t> block{7};
  ASSERT_TRUE(box.post(block));
  ASSERT_TRUE(box.post(block));
  EXPECT_FALSE(box.post(block));
  Room room{};
  ASSERT_EQ(box.take(room), 1U);
  EXPECT_TRUE(box.post(block)) << "the slot is free again";
  EXPECT_EQ(box.take(room), 1U);
  EXPECT_EQ(box.take(room), 1U);
  EXPECT_EQ(box.take(room), 0U);
}

// Many post numbered tasks and many take them: each comes once, and its block's tasks come together.
TEST(Mailbox, LosesAndDoublesNothingAmongThreads) {
  constexpr std::uint64_t kPosters = 3;
  constexpr std::uint64_t kTakers = 3;
  const std::uint64_t blocks = scaled(100'000);
  Box box;
  std::atomic<std::uint64_t> left{kPosters * blocks};
  std::vector<std::atomic<std::uint8_t>> got(kPosters * blocks);
  std::atomic<bool> torn{false};
  std::vector<std::thread> threads;
  for (std::uint64_t poster = 0; poster < kPosters; ++poster) {
    threads.emplace_back([&, poster] {
      for (std::uint64_t i = 0; i < blocks; ++i) {
        const std::uint64_t number = poster * blocks + i;
        const std::array<std::uint64_t, 3> block{number, ~number, number};
        while (!box.post(block)) std::this_thread::yield();
      }
    });
  }
  for (std::uint64_t taker = 0; taker < kTakers; ++taker) {
    threads.emplace_back([&] {
      Room room{};
      while (left.load() != 0) {
        const std::size_t count = box.take(room);
        if (count == 0) {
          std::this_thread::yield();
          continue;
        }
        if (count != 3 || room[1] != ~room[0] || room[2] != room[0]) torn = true;
        got[room[0]].fetch_add(1);
        left.fetch_sub(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(torn.load());
  EXPECT_TRUE(box.is_empty());
  for (const auto& times : got) ASSERT_EQ(times.load(), 1);
}

}  // namespace
}  // namespace jackdaw::mark
