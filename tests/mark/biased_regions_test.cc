// BiasedRegions: which worker may mark how, and that no two workers mark plainly in one region at once.
#include "mark/biased_regions.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <latch>
#include <thread>
#include <vector>

#include "mark/random_numbers.h"
#include "tests/scaled.h"

namespace jackdaw::mark {
namespace {

// The biases of a few workers, in place, because they do not move.
struct Workers {
  explicit Workers(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) biases.emplace_back(i);
  }
  MarkingRight right(std::uint32_t worker, BiasWord& word) {
    return biases[worker].right_to_mark(
        word, [this](std::uint32_t other) -> BiasedRegions& { return biases[other]; });
  }

  std::deque<BiasedRegions> biases;
};

TEST(BiasedRegions, TheFirstWorkerHasTheRegionToItself) {
  Workers workers(2);
  BiasWord word{0};
  EXPECT_EQ(workers.right(0, word), MarkingRight::exclusive);
  EXPECT_EQ(workers.right(0, word), MarkingRight::exclusive);
  EXPECT_EQ(workers.right(1, word), MarkingRight::none);
}

TEST(BiasedRegions, AnAskedHolderGivesUpAtItsNextPollAndTheRegionIsShared) {
  Workers workers(3);
  BiasWord word{0};
  ASSERT_EQ(workers.right(0, word), MarkingRight::exclusive);
  ASSERT_EQ(workers.right(1, word), MarkingRight::none);
  EXPECT_EQ(workers.right(1, word), MarkingRight::none) << "the holder has not polled";
  workers.biases[0].poll();
  EXPECT_EQ(workers.right(1, word), MarkingRight::shared);
  EXPECT_EQ(workers.right(0, word), MarkingRight::shared);
  EXPECT_EQ(workers.right(2, word), MarkingRight::shared);
}

TEST(BiasedRegions, APollThatNobodyAskedForKeepsTheBias) {
  Workers workers(2);
  BiasWord word{0};
  ASSERT_EQ(workers.right(0, word), MarkingRight::exclusive);
  workers.biases[0].poll();
  EXPECT_EQ(workers.right(1, word), MarkingRight::none);
}

TEST(BiasedRegions, AHolderBiasesAgainWhatNobodyTook) {
  Workers workers(2);
  BiasWord word{0};
  ASSERT_EQ(workers.right(0, word), MarkingRight::exclusive);
  workers.biases[0].give_up();
  EXPECT_EQ(workers.right(0, word), MarkingRight::exclusive);
  EXPECT_EQ(workers.right(1, word), MarkingRight::none) << "the new bias is alive";
}

TEST(BiasedRegions, AWorkerThatIsAskedTooOftenStopsBiasingForSomeRounds) {
  Workers workers(2);
  for (std::uint32_t i = 0; i < BiasedRegions::kPatience; ++i) {
    BiasWord word{0};
    ASSERT_EQ(workers.right(0, word), MarkingRight::exclusive);
    ASSERT_EQ(workers.right(1, word), MarkingRight::none);
    workers.biases[0].poll();
  }
  BiasWord word{0};
  EXPECT_EQ(workers.right(0, word), MarkingRight::shared);
  EXPECT_EQ(workers.right(1, word), MarkingRight::shared);
  for (std::uint32_t round = 0; round < BiasedRegions::kRoundsWithout; ++round) {
    workers.biases[0].start_round();
    BiasWord without{0};
    ASSERT_EQ(workers.right(0, without), MarkingRight::shared) << "round " << round;
  }
  workers.biases[0].start_round();
  BiasWord again{0};
  EXPECT_EQ(workers.right(0, again), MarkingRight::exclusive);
}

TEST(BiasedRegions, TheLastWorkerIsNotTakenForTheFirst) {
  Workers workers(BiasedRegions::kMaximumWorkers);
  BiasWord word{0};
  ASSERT_EQ(workers.right(0, word), MarkingRight::exclusive);
  EXPECT_EQ(workers.right(BiasedRegions::kMaximumWorkers - 1, word), MarkingRight::none);
  BiasWord other_word{0};
  ASSERT_EQ(workers.right(BiasedRegions::kMaximumWorkers - 1, other_word), MarkingRight::exclusive);
  EXPECT_EQ(workers.right(0, other_word), MarkingRight::none);
}

// Threads that add to counters of many regions: plainly where they may, atomically where they must. A plain
// addition beside another thread's is lost, so the sum tells.
TEST(BiasedRegions, NoPlainAccessIsEverBesideAnother) {
  constexpr std::uint32_t kThreads = 3;
  constexpr std::size_t kRegions = 16;
  const std::size_t additions = scaled(60000);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Workers workers(kThreads);
    std::vector<BiasWord> words(kRegions);
    std::vector<std::atomic<std::uint64_t>> sums(kRegions);
    std::latch all_here(kThreads);
    const auto work = [&](std::uint32_t worker) {
      RandomNumbers random(seed * kThreads + worker);
      all_here.arrive_and_wait();
      std::size_t region = worker * kRegions / kThreads;
      for (std::size_t i = 0; i < additions; ++i) {
        if (random.below(200) == 0) region = random.below(kRegions);
        MarkingRight right = workers.right(worker, words[region]);
        for (; right == MarkingRight::none; right = workers.right(worker, words[region])) {
          workers.biases[worker].poll();
          std::this_thread::yield();
        }
        if (right == MarkingRight::shared) {
          sums[region].fetch_add(1, std::memory_order_relaxed);
        } else {
          sums[region].store(sums[region].load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        }
        workers.biases[worker].poll();
      }
      workers.biases[worker].give_up();
    };
    std::vector<std::thread> threads;
    for (std::uint32_t worker = 0; worker < kThreads; ++worker) threads.emplace_back(work, worker);
    for (std::thread& thread : threads) thread.join();
    std::uint64_t total = 0;
    for (const auto& sum : sums) total += sum.load();
    ASSERT_EQ(total, kThreads * additions);
  }
}

}  // namespace
}  // namespace jackdaw::mark
