// Which way of marking is chosen: from costs that are given, and from recorded times.
#include "mark/team_benefit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

namespace jackdaw::mark {
namespace {

constexpr std::uint64_t kReferences = 100000;
constexpr std::uint64_t kSmall = 32768;

// A program's markings, in which a reference costs `alone` or `team` nanoseconds.
struct Markings {
  double alone;
  double team;
  TeamBenefit benefit{kSmall};
  double time = 0;  // of the last marking

  // One more; whether the team took part.
  bool mark(std::uint64_t references = kReferences) {
    benefit.start_marking();
    bool is_together = !benefit.is_alone();
    std::uint64_t done_alone = is_together ? 0 : references;
    for (std::uint64_t done = 8192; !is_together && done < references; done += 256) {
      is_together = !benefit.goes_on_alone(done, static_cast<double>(done) * alone);
      if (is_together) done_alone = done;
    }
    time = static_cast<double>(done_alone) * alone + static_cast<double>(references - done_alone) * team;
    benefit.finish(references, time, is_together);
    return is_together;
  }
  // How many of `count` markings the team took part in.
  int together_in(int markings, std::uint64_t references = kReferences) {
    int together = 0;
    for (int i = 0; i < markings; ++i) together += mark(references) ? 1 : 0;
    return together;
  }
  // The time of these markings ÷ that of the cheaper way.
  double regret_of(int markings, std::uint64_t references = kReferences) {
    double sum = 0;
    for (int i = 0; i < markings; ++i) {
      mark(references);
      sum += time;
    }
    return sum / (markings * static_cast<double>(references) * std::min(alone, team));
  }
};

TEST(TeamBenefit, BeginsWithTheTeamAndTriesTheOtherWaySoon) {
  Markings markings{.alone = 7, .team = 10};
  EXPECT_EQ(markings.together_in(2), 2);
  EXPECT_FALSE(markings.mark());
}

TEST(TeamBenefit, BeginsAloneWhereTheHeapWasSmall) {
  Markings markings{.alone = 7, .team = 10};
  markings.mark(kSmall - 1);
  EXPECT_FALSE(markings.mark(kSmall - 1));
  EXPECT_TRUE(markings.mark(kSmall - 1)) << "a trial";
  EXPECT_EQ(markings.together_in(4, kSmall - 1), 0);
}

TEST(TeamBenefit, MarksAloneWhereThatIsCheaper) {
  Markings markings{.alone = 7, .team = 10};
  markings.together_in(200);
  EXPECT_LE(markings.together_in(640), 10) << "but for trials";
}

TEST(TeamBenefit, MarksTogetherWhereThatIsCheaper) {
  for (const std::uint64_t references : {kReferences, kSmall - 1}) {
    Markings markings{.alone = 10, .team = 7};
    markings.together_in(3, references);
    EXPECT_EQ(markings.together_in(1000, references), 1000) << "trials end early";
  }
}

TEST(TeamBenefit, LearnsNothingFromAColdFirstMarkingThatSpeaksAgainstTheTeam) {
  Markings markings{.alone = 10, .team = 30};
  markings.mark();
  markings.team = 7;
  EXPECT_EQ(markings.together_in(100), 100);
}

TEST(TeamBenefit, LosesATenthAtMostInFiveMarkingsThatAreNotCold) {
  for (const double alone : {5.0, 8.0, 9.5, 10.5, 13.0, 16.0, 40.0}) {
    Markings markings{.alone = 2 * alone, .team = 20};
    markings.mark();
    markings.alone = alone;
    markings.team = 10;
    // One marking by the team is what it takes to know its price.
    const double price = std::max(0.0, (10 - alone) / alone) / 5;
    EXPECT_LE(markings.regret_of(5), 1.1 + price) << alone;
    EXPECT_LE(markings.regret_of(200), 1.03) << alone;
  }
}

TEST(TeamBenefit, EndsATrialThatHasLostATenthOfAMarking) {
  TeamBenefit benefit(kSmall);
  for (int marking = 0; marking < 2; ++marking) {
    benefit.start_marking();
    ASSERT_FALSE(benefit.is_alone());
    benefit.finish(kReferences, 5.0 * kReferences, true);
  }
  benefit.start_marking();
  ASSERT_TRUE(benefit.is_alone());
  constexpr double kFirst = 8192 * 50.0;
  EXPECT_TRUE(benefit.goes_on_alone(8192, kFirst)) << "the first references do not count";
  // Each of the others costs twice what it costs in the team.
  EXPECT_TRUE(benefit.goes_on_alone(8192 + 9999, kFirst + 9999 * 10.0));
  EXPECT_FALSE(benefit.goes_on_alone(8192 + 10001, kFirst + 10001 * 10.0));
  EXPECT_FALSE(benefit.is_alone());
}

TEST(TeamBenefit, TriesAgainSoonAfterTheFirstTrialOfMarkingAloneAsThatIsCold) {
  Markings markings{.alone = 20, .team = 10};
  markings.together_in(2);
  EXPECT_TRUE(markings.mark()) << "ended early";
  markings.alone = 7;
  EXPECT_LE(markings.together_in(10), static_cast<int>(TeamBenefit::kFewestMarkingsBetweenTrials) + 1);
}

TEST(TeamBenefit, TriesAgainSoonWhatCostLittleMore) {
  Markings markings{.alone = 10, .team = 10.5};
  markings.together_in(3);
  int markings_alone = 0;
  while (!markings.mark()) ASSERT_LE(++markings_alone, 10);
  markings.team = 7;
  EXPECT_GE(markings.together_in(10), 10 - static_cast<int>(TeamBenefit::kFewestMarkingsBetweenTrials));
}

TEST(TeamBenefit, AsksSeldomWhetherToGoOnAlone) {
  TeamBenefit benefit(kSmall);
  benefit.start_marking();
  EXPECT_EQ(benefit.references_between_checks(), 0U) << "the size is not known";
  benefit.finish(kReferences, 5.0 * kReferences, true);
  EXPECT_GE(benefit.references_between_checks(), kReferences / 100);
  EXPECT_LE(benefit.references_between_checks(), kReferences / 25) << "or a trial ends late";
}

TEST(TeamBenefit, IsNotMisledByOneInterruption) {
  Markings markings{.alone = 10, .team = 7};
  markings.together_in(10);
  markings.team = 50;
  markings.mark();
  markings.team = 7;
  EXPECT_EQ(markings.together_in(20), 20);
}

TEST(TeamBenefit, PutsATrialOffThatDoesNotComeAbout) {
  TeamBenefit benefit(kSmall);
  int trials = 0;
  for (int marking = 0; marking < 100; ++marking) {
    benefit.start_marking();
    trials += benefit.is_alone() ? 1 : 0;
    benefit.finish(kReferences, 5.0 * kReferences, true);
  }
  EXPECT_GT(trials, 0);
  EXPECT_LE(trials, 100 / 4);
}

TEST(TeamBenefit, NoticesThatTheProgramHasChanged) {
  Markings markings{.alone = 7, .team = 10};
  markings.together_in(300);
  markings.team = 3;
  markings.together_in(TeamBenefit::kMostMarkingsBetweenTrials + 1);
  EXPECT_EQ(markings.together_in(100), 100);
  markings.alone = 2;
  markings.together_in(TeamBenefit::kMostMarkingsBetweenTrials + 1);
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

// One heap in one process: times of markings alone and by the team, in turn, the first of them cold.
struct Series {
  std::string heap;
  std::uint64_t references = 0;
  std::vector<double> alone;
  std::vector<double> team;
};

std::vector<Series> recorded_series() {
  std::ifstream file(JACKDAW_TEST_DATA "/marking_times.txt");
  std::vector<Series> all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    Series series;
    std::istringstream words(line);
    words >> series.heap >> series.references;
    std::vector<double> times{std::istream_iterator<double>(words), {}};
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    series.alone.assign(times.begin(), middle);
    series.team.assign(middle, times.end());
    all.push_back(series);
  }
  return all;
}

double median_of(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

// The time of all markings but the first, at each way's median, compared with the better way's. The choices
// see the times as they were, interruptions included.
double regret_of(const Series& series) {
  const double alone = median_of(series.alone);
  const double team = median_of(series.team);
  const auto references = static_cast<double>(series.references);
  Markings markings{.alone = 0, .team = 0};
  double sum = 0;
  for (std::size_t i = 0; i < series.alone.size(); ++i) {
    markings.alone = series.alone[i] / references;
    markings.team = series.team[i] / references;
    const bool was_together = markings.mark(series.references);
    const double difference = series.alone[i] - series.team[i];
    const double share_alone = !was_together     ? 1
                               : difference == 0 ? 0
                                                 : (markings.time - series.team[i]) / difference;
    if (i != 0) sum += share_alone * alone + (1 - share_alone) * team;
  }
  return sum / (static_cast<double>(series.alone.size() - 1) * std::min(alone, team));
}

TEST(TeamBenefit, LosesLittleOverRecordedTimes) {
  const std::vector<Series> all = recorded_series();
  ASSERT_GE(all.size(), 20U);
  double sum = 0;
  for (const Series& series : all) {
    const double regret = regret_of(series);
    EXPECT_LE(regret, 1.25) << series.heap;
    sum += regret;
  }
  EXPECT_LE(sum / static_cast<double>(all.size()), 1.05);
}

}  // namespace
}  // namespace jackdaw::mark
