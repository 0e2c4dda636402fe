// NumaProbabilisticVictim: whom a thief may choose, in which order and how often.
#include "mark/victim/numa_probabilistic.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "mark/victim/others_by_distance.h"
#include "mark/victim/victim_policy.h"
#include "tests/mark/fixed_queues.h"

namespace jackdaw::mark {
namespace {

TEST(NumaProbabilisticVictim, ChoosesNearWorkersInProportionToTheFill) {
  const std::vector<std::uint32_t> nodes = four_nodes();
  FixedQueues queues = full_queues(16);
  queues.stealable[4] = 1;
  queues.stealable[6] = 3;
  queues.stealable[7] = 9;
  NumaProbabilisticVictim policy({5, 16, 42, nodes});
  expect_in_proportion(policy, queues, {4, 6, 7});
}

TEST(NumaProbabilisticVictim, ChoosesFarWorkersInProportionToTheFillOnceTheNearOnesHaveNothing) {
  const std::vector<std::uint32_t> nodes = four_nodes();
  FixedQueues queues{std::vector<std::uint64_t>(16, 0)};
  queues.stealable[0] = 6;
  queues.stealable[9] = 10;
  queues.stealable[15] = 9;
  NumaProbabilisticVictim policy({5, 16, 42, nodes});
  std::map<std::uint32_t, int> chosen;
  int all = 0;
  for (int i = 0; i < 100000; ++i) {
    policy.start_search(16);
    std::optional<VictimChoice> choice;
    while (!choice) choice = policy.choose(queues);
    ++chosen[choice->worker];
    ++all;
  }
  EXPECT_EQ(chosen.size(), 3U);
  for (const std::uint32_t worker : {0U, 9U, 15U}) {
    const double expected = static_cast<double>(all) * static_cast<double>(queues.stealable[worker]) / 25;
    EXPECT_NEAR(chosen[worker], expected, 0.05 * expected) << "worker " << worker;
  }
}

TEST(NumaProbabilisticVictim, LooksNearAsOftenAsItSaysBeforeItLooksFar) {
  const std::vector<std::uint32_t> nodes = four_nodes();
  FixedQueues queues = full_queues(16);
  for (const std::uint32_t near : {4U, 5U, 6U, 7U}) queues.stealable[near] = 0;
  NumaProbabilisticVictim policy({5, 16, 1, nodes});
  for (int search = 0; search < 10; ++search) {
    policy.start_search(16);
    for (std::size_t look = 0; look < 3 * NumaProbabilisticVictim::kLooksPerWorker; ++look) {
      EXPECT_FALSE(policy.choose(queues));
    }
    EXPECT_TRUE(policy.choose(queues));
  }
}

// One block of ten is found by chance in one search of five, were it not for the last look.
TEST(NumaProbabilisticVictim, NeverGoesFarWhileANearWorkerHasSomething) {
  const std::vector<std::uint32_t> nodes = four_nodes();
  FixedQueues queues = full_queues(16);
  queues.stealable[4] = queues.stealable[7] = 0;
  queues.stealable[6] = 1;
  NumaProbabilisticVictim policy({5, 16, 1, nodes});
  for (int search = 0; search < 1000; ++search) {
    policy.start_search(16);
    std::optional<VictimChoice> choice;
    while (!choice) choice = policy.choose(queues);
    ASSERT_EQ(choice->worker, 6U);
  }
}

TEST(NumaProbabilisticVictim, FindsTheOneWorkerThatHasSomethingInOneSearch) {
  const std::vector<std::uint32_t> nodes = four_nodes();
  FixedQueues queues{std::vector<std::uint64_t>(16, 0)};
  queues.stealable[14] = 1;
  NumaProbabilisticVictim policy({5, 16, 1, nodes});
  for (int search = 0; search < 1000; ++search) {
    policy.start_search(16);
    std::optional<VictimChoice> choice;
    for (std::size_t look = 0; !choice && look < 15 * NumaProbabilisticVictim::kLooksPerWorker; ++look)
      choice = policy.choose(queues);
    ASSERT_TRUE(choice);
    ASSERT_EQ(choice->worker, 14U);
  }
}

TEST(DistanceRanks, CountDistancesThatHaveWorkers) {
  const std::vector<std::uint32_t> nodes = four_nodes();
  const std::vector<std::uint32_t> distances = distances_in_a_row();
  const auto ranks = [&](std::uint32_t self, std::size_t count) {
    const std::vector<std::uint8_t> of_workers = distance_ranks({self, 16, 1, nodes, distances}, count);
    return std::vector<int>{of_workers[0], of_workers[4], of_workers[8], of_workers[12]};
  };
  EXPECT_EQ(ranks(1, 4), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(ranks(5, 4), (std::vector<int>{1, 0, 1, 2}));
  EXPECT_EQ(ranks(1, 3), (std::vector<int>{0, 1, 2, 2}));
  EXPECT_EQ(distance_ranks({0, 3, 1}, 4), (std::vector<std::uint8_t>{0, 0, 0})) << "one node";
}

TEST(NumaProbabilisticVictim, TakesTheLongerToGoOnTheFartherItIs) {
  const std::vector<std::uint32_t> nodes = four_nodes();
  const std::vector<std::uint32_t> distances = distances_in_a_row();
  constexpr std::size_t kLooks = NumaProbabilisticVictim::kLooksPerWorker;
  NumaProbabilisticVictim policy({0, 16, 1, nodes, distances});
  const std::size_t first_looks[] = {0, kLooks * 3, kLooks * 7 * 3 / 2, kLooks * 11 * 2};
  for (int search = 0; search < 10; ++search) {
    policy.start_search(16);
    for (std::size_t look = 0; look < 2 * (first_looks[3] + 4 * kLooks); ++look) {
      const std::size_t in_round = look % (first_looks[3] + 4 * kLooks);
      std::uint32_t node = 3;
      while (in_round < first_looks[node]) --node;
      const auto choice = policy.choose(full_queues(16));
      ASSERT_TRUE(choice);
      ASSERT_EQ(nodes[choice->worker], node) << "look " << look;
    }
  }
}

TEST(NumaProbabilisticVictim, AnybodyIsTheNearestToAWorkerThatIsAloneOnItsNode) {
  const std::vector<std::uint32_t> nodes{0, 1, 1, 2};
  const std::vector<std::uint32_t> distances{10, 21, 255, 21, 10, 21, 255, 21, 10};
  NumaProbabilisticVictim policy({0, 4, 1, nodes, distances});
  policy.start_search(4);
  EXPECT_EQ(nodes[policy.choose(full_queues(4))->worker], 1U);
  constexpr std::size_t kMost =
      NumaProbabilisticVictim::kLooksPerWorker * 2 * NumaProbabilisticVictim::kMostUsualDistances;
  for (std::size_t look = 1; look < kMost; ++look)
    ASSERT_EQ(nodes[policy.choose(full_queues(4))->worker], 1U);
  EXPECT_EQ(policy.choose(full_queues(4))->worker, 3U) << "the end of any distance is reached";
}

}  // namespace
}  // namespace jackdaw::mark
