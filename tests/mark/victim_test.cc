// Victim policies: whom a thief may choose and how often.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "mark/victim/random.h"
#include "mark/victim/random_probabilistic.h"

namespace jackdaw::mark {
namespace {

// Queues of ten blocks of which the first `stealable[worker]` have something to steal.
struct FixedQueues {
  std::vector<std::uint64_t> stealable;

  [[nodiscard]] bool looks_stealable(std::uint32_t worker, std::uint64_t sample) const {
    return sample % 10 < stealable[worker];
  }
};

TEST(RandomVictim, ChoosesEveryOtherWorkerAboutAsOftenAndNeverItself) {
  constexpr int kChoices = 90000;
  for (std::uint32_t self = 0; self < 10; ++self) {
    RandomVictim policy(self, 10, self + 1);
    std::map<std::uint32_t, int> chosen;
    for (int i = 0; i < kChoices; ++i) ++chosen[policy.choose(FixedQueues{}).value()];
    EXPECT_EQ(chosen.size(), 9U);
    EXPECT_FALSE(chosen.contains(self));
    for (const auto& [worker, times] : chosen) {
      EXPECT_LT(worker, 10U);
      EXPECT_NEAR(times, kChoices / 9, kChoices / 9 / 20);
    }
  }
}

TEST(RandomVictim, OfTwoWorkersChoosesTheOther) {
  RandomVictim first(0, 2, 1);
  RandomVictim second(1, 2, 1);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(first.choose(FixedQueues{}), 1U);
    EXPECT_EQ(second.choose(FixedQueues{}), 0U);
  }
}

TEST(RandomProbabilisticVictim, AcceptsInProportionToTheFill) {
  const FixedQueues queues{{5, 1, 2, 0, 7}};
  RandomProbabilisticVictim policy(0, 5, 42);
  constexpr int kChoices = 200000;
  std::map<std::uint32_t, int> chosen;
  int refused = 0;
  for (int i = 0; i < kChoices; ++i) {
    const std::optional<std::uint32_t> victim = policy.choose(queues);
    if (victim) {
      ++chosen[*victim];
    } else {
      ++refused;
    }
  }
  // A worker is a candidate once in four; it is accepted as often as its fill says.
  EXPECT_FALSE(chosen.contains(0));
  EXPECT_FALSE(chosen.contains(3));
  EXPECT_NEAR(chosen[1], kChoices / 4 * 0.1, kChoices * 0.005);
  EXPECT_NEAR(chosen[2], kChoices / 4 * 0.2, kChoices * 0.005);
  EXPECT_NEAR(chosen[4], kChoices / 4 * 0.7, kChoices * 0.005);
  EXPECT_NEAR(refused, kChoices * 0.75, kChoices * 0.005);
}

}  // namespace
}  // namespace jackdaw::mark
