// The victim policies to compare with, and what all have in common: whom a thief may choose, in which order
// and how often.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/victims/any.h"
#include "bench/victims/best_of.h"
#include "bench/victims/last.h"
#include "bench/victims/numa.h"
#include "bench/victims/random.h"
#include "bench/victims/random_probabilistic.h"
#include "bench/victims/sequence.h"
#include "tests/mark/fixed_queues.h"

namespace jackdaw::bench {
namespace {

using mark::distances_in_a_row;
using mark::expect_in_proportion;
using mark::first_choices;
using mark::FixedQueues;
using mark::four_nodes;
using mark::full_queues;
using mark::next_choices;

class EveryVictimPolicy : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryVictimPolicy, NeverChoosesTheThiefAndReachesEverybodyElse) {
  for (const std::uint32_t workers : {2U, 3U, 10U}) {
    const std::vector<std::uint32_t> two_nodes{0, 0, 0, 1, 1, 1, 0, 1, 0, 1};
    for (const bool one_node : {true, false}) {
      for (std::uint32_t self = 0; self < workers; ++self) {
        mark::VictimSetup setup{self, workers, self + 1};
        if (!one_node) setup.nodes = two_nodes;
        AnyVictim policy(setup, GetParam());
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
    AnyVictim policy({0, 8, full}, GetParam());
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
    mark::VictimSetup setup{1, 10, 3};
    if (!one_node) setup.nodes = two_nodes;
    AnyVictim policy(setup, GetParam());
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

INSTANTIATE_TEST_SUITE_P(Policies, EveryVictimPolicy, testing::ValuesIn(AnyVictim::names()),
                         [](const testing::TestParamInfo<std::string_view>& info) {
                           std::string name(info.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(AnyVictim, RefusesAnUnknownName) {
  EXPECT_THROW(AnyVictim({0, 2, 1}, "nearest"), std::invalid_argument);
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
  // Two of the three pairs hold the fullest, and the third is won by the second.
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

TEST(RandomProbabilisticVictim, ChoosesInProportionToTheFill) {
  const FixedQueues queues{{5, 1, 2, 0, 7}};
  RandomProbabilisticVictim policy({0, 5, 42});
  expect_in_proportion(policy, queues, {1, 2, 3, 4});
}

TEST(NumaVictim, GoesFromNodeToNodeByDistance) {
  const std::vector<std::uint32_t> nodes = four_nodes();
  const std::vector<std::uint32_t> distances = distances_in_a_row();
  NumaVictim policy({0, 16, 1, nodes, distances});
  for (int search = 0; search < 20; ++search) {
    policy.start_search(16);
    const std::vector<std::uint32_t> choices = next_choices(policy, 15);
    for (std::size_t i = 0; i < 15; ++i) EXPECT_EQ(nodes[choices[i]], (i + 1) / 4);
  }
}

}  // namespace
}  // namespace jackdaw::bench
