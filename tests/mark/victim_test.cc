// Victim policies: whom a thief may choose, in which order and how often.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "mark/victim/any.h"
#include "mark/victim/choices.h"

namespace jackdaw::mark {
namespace {

// Queues of ten blocks of which the first `stealable[worker]` have something to steal.
struct FixedQueues {
  std::vector<std::uint64_t> stealable;

  [[nodiscard]] bool looks_stealable(std::uint32_t worker, std::uint64_t sample) const {
    return sample % 10 < stealable[worker];
  }
  [[nodiscard]] std::size_t size_hint(std::uint32_t worker) const { return stealable[worker]; }
  [[nodiscard]] bool has_stealable(std::uint32_t worker) const { return stealable[worker] != 0; }
};

FixedQueues full_queues(std::size_t workers) { return {std::vector<std::uint64_t>(workers, 10)}; }

// How often each worker is chosen in so many searches that end with the first choice.
template <typename Policy>
std::map<std::uint32_t, int> first_choices(Policy& policy, const FixedQueues& queues, int searches) {
  std::map<std::uint32_t, int> chosen;
  for (int i = 0; i < searches; ++i) {
    policy.start_search(static_cast<std::uint32_t>(queues.stealable.size()));
    if (const std::optional<VictimChoice> choice = policy.choose(queues)) ++chosen[choice->worker];
  }
  return chosen;
}

// The next choices of one search.
template <typename Policy>
std::vector<std::uint32_t> next_choices(Policy& policy, std::size_t count) {
  std::vector<std::uint32_t> workers;
  for (std::size_t i = 0; i < count; ++i) workers.push_back(policy.choose(full_queues(64))->worker);
  return workers;
}

class EveryVictimPolicy : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryVictimPolicy, NeverChoosesTheThiefAndReachesEverybodyElse) {
  for (const std::uint32_t workers : {2U, 3U, 10U}) {
    const std::vector<std::uint32_t> two_nodes{0, 0, 0, 1, 1, 1, 0, 1, 0, 1};
    for (const bool one_node : {true, false}) {
      for (std::uint32_t self = 0; self < workers; ++self) {
        VictimSetup setup{self, workers, self + 1, {}, GetParam()};
        if (!one_node) setup.nodes = two_nodes;
        AnyVictim policy(setup);
        policy.start_search(workers);
        std::set<std::uint32_t> chosen;
        for (int i = 0; i < 2000; ++i) {
          if (const auto choice = policy.choose(full_queues(workers))) chosen.insert(choice->worker);
        }
        EXPECT_FALSE(chosen.contains(self));
        EXPECT_EQ(chosen.size(), workers - 1);
        EXPECT_LT(*chosen.rbegin(), workers);
      }
    }
  }
}

// A thief that asks often enough finds the only queue that has something, by whatever policy.
TEST_P(EveryVictimPolicy, FindsTheOneQueueThatHasSomething) {
  for (std::uint32_t full = 1; full < 8; ++full) {
    FixedQueues queues{std::vector<std::uint64_t>(8, 0)};
    queues.stealable[full] = 1;
    AnyVictim policy({0, 8, full, {}, GetParam()});
    policy.start_search(8);
    bool found = false;
    for (int i = 0; i < 2000 && !found; ++i) {
      const auto choice = policy.choose(queues);
      found = choice && choice->worker == full;
    }
    EXPECT_TRUE(found) << full;
  }
}

// As more workers are called, more are victims, and no others.
TEST_P(EveryVictimPolicy, ChoosesAmongThoseNumberedBelowTheLimit) {
  const std::vector<std::uint32_t> two_nodes{0, 0, 0, 1, 1, 1, 0, 1, 0, 1};
  for (const bool one_node : {true, false}) {
    VictimSetup setup{1, 10, 3, {}, GetParam()};
    if (!one_node) setup.nodes = two_nodes;
    AnyVictim policy(setup);
    for (const std::uint32_t limit : {2U, 4U, 8U, 10U, 3U}) {
      std::set<std::uint32_t> chosen;
      for (int search = 0; search < 20; ++search) {
        policy.start_search(limit);
        for (int i = 0; i < 100; ++i) {
          if (const auto choice = policy.choose(full_queues(10))) chosen.insert(choice->worker);
        }
      }
      EXPECT_EQ(chosen.size(), limit - 1) << limit;
      EXPECT_LT(*chosen.rbegin(), limit);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, EveryVictimPolicy,
                         testing::ValuesIn(names_of(std::type_identity<VictimChoices>{})),
                         [](const testing::TestParamInfo<std::string_view>& info) {
                           std::string name(info.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(AnyVictim, RefusesAnUnknownName) {
  EXPECT_THROW(AnyVictim({0, 2, 1, {}, "nearest"}), std::invalid_argument);
}

TEST(RandomVictim, ChoosesEveryOtherWorkerAboutAsOften) {
  constexpr int kChoices = 90000;
  for (std::uint32_t self = 0; self < 10; ++self) {
    RandomVictim policy({self, 10, self + 1});
    for (const auto& [worker, times] : first_choices(policy, full_queues(10), kChoices)) {
      EXPECT_NEAR(times, kChoices / 9, kChoices / 9 / 20) << worker;
    }
  }
}

TEST(SequenceVictim, BeginsEverySearchWithTheSuccessorAndGoesRound) {
  SequenceVictim policy({2, 5});
  const std::vector<std::uint32_t> expected{3, 4, 0, 1, 3, 4};
  for (int search = 0; search < 3; ++search) {
    policy.start_search(5);
    EXPECT_EQ(next_choices(policy, 6), expected);
  }
}

TEST(LastVictim, BeginsWithTheLastSuccessOnceASearch) {
  LastVictim policy({0, 1000});
  policy.stole_from(77);
  for (int search = 0; search < 10; ++search) {
    policy.start_search(1000);
    const std::vector<std::uint32_t> choices = next_choices(policy, 3);
    EXPECT_EQ(choices[0], 77U);
    EXPECT_TRUE(choices[1] != 77 || choices[2] != 77) << "with probability one in a million by chance";
  }
  policy.stole_from(5);
  policy.start_search(1000);
  EXPECT_EQ(next_choices(policy, 1)[0], 5U);
}

TEST(BestOfTwoVictim, TakesTheFullerOfTwoDifferentOnes) {
  const FixedQueues queues{{0, 1, 2, 3}};
  BestOfTwoVictim policy({0, 4, 7});
  constexpr int kChoices = 90000;
  const auto chosen = first_choices(policy, queues, kChoices);
  // Of the three pairs, two hold the fullest, and the third is won by the second.
  EXPECT_FALSE(chosen.contains(1));
  EXPECT_NEAR(chosen.at(3), kChoices * 2 / 3, kChoices / 50);
  EXPECT_NEAR(chosen.at(2), kChoices / 3, kChoices / 50);
}

TEST(BestOfTwoVictim, RefusesWhenNeitherHasAnything) {
  BestOfTwoVictim policy({0, 4, 7});
  EXPECT_TRUE(first_choices(policy, {{9, 0, 0, 0}}, 100).empty());
}

TEST(BestOfManyVictim, LooksAtHalfOfTheWorkers) {
  // Eight workers: four of the seven others are looked at, so the fullest is among them four times in seven.
  const FixedQueues queues{{0, 1, 2, 3, 4, 5, 6, 7}};
  BestOfManyVictim policy({0, 8, 3});
  constexpr int kChoices = 70000;
  const auto chosen = first_choices(policy, queues, kChoices);
  EXPECT_NEAR(chosen.at(7), kChoices * 4 / 7, kChoices / 50);
  EXPECT_FALSE(chosen.contains(3)) << "of four different ones, one has at least four";
}

// Sixteen workers, four to a node.
std::vector<std::uint32_t> four_nodes() {
  std::vector<std::uint32_t> nodes(16);
  for (std::uint32_t worker = 0; worker < 16; ++worker) nodes[worker] = worker / 4;
  return nodes;
}

TEST(NumaVictim, TriesEachNearWorkerOnceBeforeEachFarOneOnce) {
  const std::vector<std::uint32_t> nodes = four_nodes();
  for (std::uint32_t self = 0; self < 16; ++self) {
    NumaVictim policy({self, 16, self + 1, nodes});
    for (int search = 0; search < 20; ++search) {
      policy.start_search(16);
      const std::vector<std::uint32_t> choices = next_choices(policy, 15);
      for (std::size_t i = 0; i < 15; ++i) EXPECT_EQ(nodes[choices[i]] == nodes[self], i < 3);
      EXPECT_EQ(std::set<std::uint32_t>(choices.begin(), choices.end()).size(), 15U) << "each once";
    }
  }
}

TEST(NumaVictim, ChoosesItsFirstVictimAtRandomAmongTheNearOnes) {
  const std::vector<std::uint32_t> nodes = four_nodes();
  NumaVictim policy({5, 16, 11, nodes});
  constexpr int kChoices = 30000;
  const auto chosen = first_choices(policy, full_queues(16), kChoices);
  EXPECT_EQ(chosen.size(), 3U);
  for (const std::uint32_t near : {4U, 6U, 7U}) EXPECT_NEAR(chosen.at(near), kChoices / 3, kChoices / 50);
}

// The paper's claim on probabilistic stealing: a queue is stolen from in proportion to its size.
template <typename Policy>
void expect_in_proportion(Policy& policy, const FixedQueues& queues,
                          const std::vector<std::uint32_t>& among) {
  std::map<std::uint32_t, int> chosen;
  int all = 0;
  for (int i = 0; i < 400000; ++i) {
    policy.start_search(static_cast<std::uint32_t>(queues.stealable.size()));
    if (const auto choice = policy.choose(queues)) {
      ++chosen[choice->worker];
      ++all;
      EXPECT_TRUE(choice->sample && queues.looks_stealable(choice->worker, *choice->sample));
    }
  }
  std::uint64_t size = 0;
  for (const std::uint32_t worker : among) size += queues.stealable[worker];
  int expected_all = 0;
  for (const std::uint32_t worker : among) {
    const double expected =
        static_cast<double>(all) * static_cast<double>(queues.stealable[worker]) / static_cast<double>(size);
    EXPECT_NEAR(chosen[worker], expected, 0.05 * expected) << "worker " << worker;
    expected_all += chosen[worker];
  }
  EXPECT_EQ(all, expected_all) << "nobody else";
}

TEST(RandomProbabilisticVictim, ChoosesInProportionToTheFill) {
  const FixedQueues queues{{5, 1, 2, 0, 7}};
  RandomProbabilisticVictim policy({0, 5, 42});
  expect_in_proportion(policy, queues, {1, 2, 3, 4});
}

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

// Four nodes of four workers in a row: one hop is 20, two are 30, three 40.
std::vector<std::uint32_t> distances_in_a_row() {
  std::vector<std::uint32_t> distances;
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 4; ++to)
      distances.push_back(static_cast<std::uint32_t>(10 + 10 * std::abs(from - to)));
  }
  return distances;
}

TEST(DistanceRanks, CountDistancesThatHaveWorkers) {
  const std::vector<std::uint32_t> nodes = four_nodes();
  const std::vector<std::uint32_t> distances = distances_in_a_row();
  const auto ranks = [&](std::uint32_t self, std::size_t count) {
    const std::vector<std::uint8_t> of_workers = distance_ranks({self, 16, 1, nodes, {}, distances}, count);
    return std::vector<int>{of_workers[0], of_workers[4], of_workers[8], of_workers[12]};
  };
  EXPECT_EQ(ranks(1, 4), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(ranks(5, 4), (std::vector<int>{1, 0, 1, 2}));
  EXPECT_EQ(ranks(1, 3), (std::vector<int>{0, 1, 2, 2}));
  EXPECT_EQ(distance_ranks({0, 3, 1}, 4), (std::vector<std::uint8_t>{0, 0, 0})) << "one node";
}

TEST(NumaVictim, GoesFromNodeToNodeByDistance) {
  const std::vector<std::uint32_t> nodes = four_nodes();
  const std::vector<std::uint32_t> distances = distances_in_a_row();
  NumaVictim policy({0, 16, 1, nodes, {}, distances});
  for (int search = 0; search < 20; ++search) {
    policy.start_search(16);
    const std::vector<std::uint32_t> choices = next_choices(policy, 15);
    for (std::size_t i = 0; i < 15; ++i) EXPECT_EQ(nodes[choices[i]], (i + 1) / 4);
  }
}

TEST(NumaProbabilisticVictim, TakesTheLongerToGoOnTheFartherItIs) {
  const std::vector<std::uint32_t> nodes = four_nodes();
  const std::vector<std::uint32_t> distances = distances_in_a_row();
  constexpr std::size_t kLooks = NumaProbabilisticVictim::kLooksPerWorker;
  NumaProbabilisticVictim policy({0, 16, 1, nodes, {}, distances});
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
  NumaProbabilisticVictim policy({0, 4, 1, nodes, {}, distances});
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
