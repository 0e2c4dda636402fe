// Which way of marking is chosen, from costs that are given.
#include "mark/team_benefit.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace jackdaw::mark {
namespace {

constexpr std::uint64_t kReferences = 100000;

// A program's markings, in which a reference costs `alone` or `team` nanoseconds.
struct Markings {
  double alone;
  double team;
  TeamBenefit benefit = {};

  // One more; whether the team took part.
  bool mark(std::uint64_t references = kReferences) {
    benefit.start_marking();
    bool is_together = !benefit.is_alone();
    for (std::uint64_t done = 8192; !is_together && done < references; done += 256)
      is_together = !benefit.goes_on_alone(done, static_cast<double>(done) * alone);
    benefit.finish(references, static_cast<double>(references) * (is_together ? team : alone), is_together);
    return is_together;
  }
  // How many of so many the team took part in.
  int together_in(int markings, std::uint64_t references = kReferences) {
    int together = 0;
    for (int i = 0; i < markings; ++i) together += mark(references) ? 1 : 0;
    return together;
  }
};

TEST(TeamBenefit, BeginsWithTheTeamAndTriesTheOtherWaySoon) {
  Markings markings{.alone = 7, .team = 10};
  EXPECT_EQ(markings.together_in(2), 2);
  EXPECT_FALSE(markings.mark());
}

TEST(TeamBenefit, MarksAloneWhereThatIsCheaper) {
  Markings markings{.alone = 7, .team = 10};
  markings.together_in(200);
  EXPECT_LE(markings.together_in(640), 10) << "but for trials";
}

TEST(TeamBenefit, MarksTogetherWhereThatIsCheaper) {
  Markings markings{.alone = 10, .team = 7};
  EXPECT_EQ(markings.together_in(1000), 1000) << "trials end early";
}

TEST(TeamBenefit, EndsATrialAsSoonAsItIsDearer) {
  TeamBenefit benefit;
  for (int marking = 0; marking < 2; ++marking) {
    benefit.start_marking();
    ASSERT_FALSE(benefit.is_alone());
    benefit.finish(kReferences, 5.0 * kReferences, true);
  }
  benefit.start_marking();
  ASSERT_TRUE(benefit.is_alone());
  EXPECT_TRUE(benefit.goes_on_alone(8192, 8192 * 50.0)) << "the first references do not count";
  EXPECT_TRUE(benefit.goes_on_alone(16383, 8192 * 50.0 + 8191 * 9.0)) << "not enough to judge";
  EXPECT_FALSE(benefit.goes_on_alone(16384, 8192 * 50.0 + 8192 * 9.0));
  EXPECT_FALSE(benefit.is_alone());
}

TEST(TeamBenefit, NoticesThatTheProgramHasChanged) {
  Markings markings{.alone = 7, .team = 10};
  markings.together_in(300);
  markings.team = 3;
  markings.together_in(3 * TeamBenefit::kMostMarkingsBetweenTrials);
  EXPECT_EQ(markings.together_in(100), 100);
  markings.alone = 2;
  markings.together_in(3 * TeamBenefit::kMostMarkingsBetweenTrials);
  EXPECT_LE(markings.together_in(100), 2);
}

TEST(TeamBenefit, TriesAgainSoonWhenTheHeapHasGrown) {
  Markings markings{.alone = 7, .team = 10};
  markings.together_in(300);
  markings.team = 3;
  markings.mark(2 * kReferences);
  EXPECT_GE(markings.together_in(3, 2 * kReferences), 1);
}

TEST(TeamBenefit, CallsTheTeamToAHeapThatIsMuchLargerThanItWas) {
  Markings markings{.alone = 7, .team = 10};
  markings.together_in(3);
  ASSERT_FALSE(markings.mark());
  EXPECT_TRUE(markings.mark(4 * kReferences));
}

TEST(TeamBenefit, CallsTheTeamWhereMarkingAloneHasBecomeMuchDearer) {
  Markings markings{.alone = 7, .team = 10};
  markings.together_in(300);
  ASSERT_FALSE(markings.mark());
  markings.alone = 20;
  EXPECT_TRUE(markings.mark()) << "before the end of the first";
  markings.together_in(2);
  EXPECT_EQ(markings.together_in(20), 20);
}

TEST(TeamBenefit, GoesOnAloneWhereThatHasBecomeALittleDearer) {
  Markings markings{.alone = 7, .team = 10};
  markings.together_in(300);
  ASSERT_FALSE(markings.mark());
  markings.alone = 9;
  EXPECT_LE(markings.together_in(20), 1);
}

}  // namespace
}  // namespace jackdaw::mark
