// NotedSlots: what mark threads note comes out once, whatever round and thread it is of.
#include "gc/weak/noted_slots.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace jackdaw::gc {
namespace {

void* slot(std::size_t number) { return reinterpret_cast<void*>(8 * (number + 1)); }

void note_range(NotedSlots& slots, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) ASSERT_TRUE(slots.note(slot(i)));
}

// Returns how often each of `count` slots is taken.
std::vector<int> take_all(NotedSlots& slots, std::size_t count) {
  std::vector<int> taken(count);
  while (void* const next = slots.take()) ++taken[reinterpret_cast<std::uintptr_t>(next) / 8 - 1];
  return taken;
}

TEST(NotedSlots, ComeOutOnceInEveryRound) {
  NotedSlots slots(NotedSlots::Kind::weak_members);
  EXPECT_EQ(slots.take(), nullptr);
  for (const std::size_t count : {1U, 4094U, 4095U, 20'000U, 3U}) {
    note_range(slots, 0, count);
    EXPECT_EQ(take_all(slots, count), std::vector<int>(count, 1));
    EXPECT_EQ(slots.take(), nullptr);
  }
}

TEST(NotedSlots, MayBeNotedWhileOthersAreBeingTaken) {
  NotedSlots slots(NotedSlots::Kind::ephemerons);
  constexpr std::size_t kCount = 10'000;
  note_range(slots, 0, 2);
  std::size_t noted = 2;
  std::vector<int> taken(kCount);
  while (void* const next = slots.take()) {
    ++taken[reinterpret_cast<std::uintptr_t>(next) / 8 - 1];
    if (noted < kCount) note_range(slots, noted, noted + 2);
    noted += noted < kCount ? 2 : 0;
  }
  EXPECT_EQ(taken, std::vector<int>(kCount, 1));
}

TEST(NotedSlots, TablesOfBothKindsAreApart) {
  NotedSlots members(NotedSlots::Kind::weak_members);
  NotedSlots ephemerons(NotedSlots::Kind::ephemerons);
  for (std::size_t i = 0; i < 1000; ++i) note_range(i % 2 == 0 ? members : ephemerons, i, i + 1);
  std::vector<int> even(1000);
  std::vector<int> odd(1000);
  for (std::size_t i = 0; i < 1000; ++i) ++(i % 2 == 0 ? even : odd)[i];
  EXPECT_EQ(take_all(members, 1000), even);
  EXPECT_EQ(take_all(ephemerons, 1000), odd);
}

TEST(NotedSlots, ManyThreadsNote) {
  NotedSlots slots(NotedSlots::Kind::weak_members);
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kEach = 10'000;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kThreads; ++i)
      threads.emplace_back([&slots, i] { note_range(slots, i * kEach, (i + 1) * kEach); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(take_all(slots, kThreads * kEach), std::vector<int>(kThreads * kEach, 1));
  }
}

}  // namespace
}  // namespace jackdaw::gc
