// Whether marks count as near or far: by samples, judged together, and looked at again after a while.
#include "mark/mark_distance.h"

#include <gtest/gtest.h>

namespace jackdaw::mark {
namespace {

constexpr MarkDistance::Duration kOneNanosecond{1};

// Visits until the next sample is due and gives it; says how many visits it took.
std::uint32_t visit_and_sample(MarkDistance& distance, MarkDistance::Duration duration) {
  std::uint32_t visits = 1;
  while (!distance.count_poll()) ++visits;
  distance.add_sample(duration);
  distance.end_sampled_visit();
  return visits;
}

TEST(MarkDistance, IsNearUntilEnoughSamplesSayOtherwise) {
  MarkDistance distance;
  for (std::uint32_t i = 1; i < MarkDistance::kSamples; ++i) {
    EXPECT_EQ(visit_and_sample(distance, MarkDistance::kFar), MarkDistance::kPollsASample);
    ASSERT_FALSE(distance.is_far());
  }
  visit_and_sample(distance, MarkDistance::kFar);
  EXPECT_TRUE(distance.is_far());
}

TEST(MarkDistance, StaysNearWhileTheAverageIs) {
  MarkDistance distance;
  for (int window = 0; window < 10; ++window) {
    for (std::uint32_t i = 0; i < MarkDistance::kSamples; ++i) {
      const bool even = i % 2 == 0;
      visit_and_sample(distance, even ? 2 * MarkDistance::kFar - kOneNanosecond : MarkDistance::Duration{0});
      ASSERT_FALSE(distance.is_far()) << "window " << window << ", sample " << i;
    }
  }
}

TEST(MarkDistance, AFewLongSamplesDoNotDecide) {
  MarkDistance distance;
  for (std::uint32_t i = 0; i < MarkDistance::kSamples; ++i)
    visit_and_sample(distance, i % 8 == 0 ? std::chrono::seconds(1) : kOneNanosecond);
  EXPECT_FALSE(distance.is_far());
}

TEST(MarkDistance, LooksLessOftenWhileMarksStayNear) {
  MarkDistance distance;
  const auto judge = [&](MarkDistance::Duration duration) {
    const std::uint32_t polls = visit_and_sample(distance, duration);
    for (std::uint32_t i = 1; i < MarkDistance::kSamples; ++i) {
      EXPECT_EQ(visit_and_sample(distance, duration), polls);
    }
    return polls;
  };
  for (std::uint32_t polls = MarkDistance::kPollsASample; polls <= MarkDistance::kMostPollsASample;
       polls *= 2) {
    EXPECT_EQ(judge(kOneNanosecond), polls);
  }
  EXPECT_EQ(judge(kOneNanosecond), MarkDistance::kMostPollsASample);
  EXPECT_EQ(judge(MarkDistance::kFar), MarkDistance::kMostPollsASample);
  ASSERT_TRUE(distance.is_far());
  distance.take_as_near();
  EXPECT_EQ(judge(kOneNanosecond), MarkDistance::kPollsASample);
}

TEST(MarkDistance, IsNearAgainAfterAWhileAndIsJudgedAfresh) {
  MarkDistance distance;
  for (int turn = 0; turn < 3; ++turn) {
    for (std::uint32_t i = 0; i < MarkDistance::kSamples; ++i) {
      ASSERT_FALSE(distance.is_far());
      visit_and_sample(distance, 2 * MarkDistance::kFar);
    }
    ASSERT_TRUE(distance.is_far());
    for (std::uint32_t look = 0; look < MarkDistance::kLooksFar; ++look) {
      ASSERT_TRUE(distance.is_far()) << look;
      for (std::uint32_t poll = 1; poll < MarkDistance::kPollsALook; ++poll)
        ASSERT_FALSE(distance.count_poll());
      ASSERT_TRUE(distance.count_poll());
      distance.note_marks(0, 0);
    }
  }
}

// Judges samples that take long, where one in `references_a_new` references led to a new object.
void judge_as_far(MarkDistance& distance, std::uint64_t references_a_new, std::uint64_t& references,
                  std::uint64_t& marked) {
  for (std::uint32_t i = 0; i < MarkDistance::kSamples; ++i) {
    while (!distance.count_poll()) continue;
    distance.note_marks(references += references_a_new, ++marked);
    distance.add_sample(MarkDistance::kFarAlone);
    distance.end_sampled_visit();
  }
}

TEST(MarkDistance, MarksThatAreMostlySetAreNearBesideOthers) {
  std::uint64_t references = 0;
  std::uint64_t marked = 0;
  MarkDistance distance;
  distance.start_together();
  judge_as_far(distance, MarkDistance::kReferencesANew + 1, references, marked);
  EXPECT_FALSE(distance.is_far());
  judge_as_far(distance, MarkDistance::kReferencesANew, references, marked);
  EXPECT_TRUE(distance.is_far()) << "what came before the last judgement does not count";

  distance.start_alone();
  references = marked = 0;
  judge_as_far(distance, 10 * MarkDistance::kReferencesANew, references, marked);
  EXPECT_TRUE(distance.is_far()) << "nobody else wants the lines";
}

TEST(MarkDistance, FarMarksAreNearAsSoonAsMostAreSet) {
  std::uint64_t references = 0;
  std::uint64_t marked = 0;
  MarkDistance distance;
  distance.start_together();
  judge_as_far(distance, 1, references, marked);
  ASSERT_TRUE(distance.is_far());
  const auto look = [&](std::uint64_t followed, std::uint64_t new_ones) {
    while (!distance.count_poll()) continue;
    distance.note_marks(references += followed, marked += new_ones);
    return distance.is_far();
  };
  EXPECT_TRUE(look(1000 * MarkDistance::kReferencesANew, 1000));
  EXPECT_FALSE(look(1000 * MarkDistance::kReferencesANew, 999));
}

TEST(MarkDistance, CountsOfAnEarlierRoundDoNotCount) {
  std::uint64_t references = 1'000'000'000;
  std::uint64_t marked = 1'000'000'000;
  MarkDistance distance;
  judge_as_far(distance, 1, references, marked);
  distance.start_together();
  references = marked = 0;
  judge_as_far(distance, MarkDistance::kReferencesANew + 1, references, marked);
  EXPECT_FALSE(distance.is_far());
}

TEST(MarkDistance, AWorkerAloneTakesOnlyFartherMarksToBeFar) {
  MarkDistance distance;
  const auto judge = [&](MarkDistance::Duration duration) {
    for (std::uint32_t i = 0; i < MarkDistance::kSamples; ++i) visit_and_sample(distance, duration);
    return distance.is_far();
  };
  distance.start_alone();
  EXPECT_FALSE(judge(MarkDistance::kFarAlone - kOneNanosecond));
  EXPECT_TRUE(judge(MarkDistance::kFarAlone));
  distance.start_together();
  EXPECT_FALSE(distance.is_far());
  EXPECT_TRUE(judge(MarkDistance::kFarAlone - kOneNanosecond));
}

// A worker that loses its processor between two looks at the clock may count too much for the clock itself.
TEST(MarkDistance, ASampleCountsAsNothingAtLeast) {
  MarkDistance distance;
  visit_and_sample(distance, MarkDistance::Duration{-1'000'000});
  for (std::uint32_t i = 1; i < MarkDistance::kSamples; ++i) {
    ASSERT_FALSE(distance.is_far());
    visit_and_sample(distance, 2 * MarkDistance::kFar);
  }
  EXPECT_TRUE(distance.is_far());
}

TEST(MarkDistance, AVisitWithoutASampleIsMadeUpForLater) {
  MarkDistance distance;
  while (!distance.count_poll()) continue;
  distance.end_sampled_visit();
  EXPECT_EQ(visit_and_sample(distance, kOneNanosecond), MarkDistance::kPollsASample);
}

TEST(MarkDistance, ARoundStartsNear) {
  MarkDistance distance;
  for (std::uint32_t i = 0; i < MarkDistance::kSamples; ++i) visit_and_sample(distance, MarkDistance::kFar);
  ASSERT_TRUE(distance.is_far());
  distance.start_together();
  EXPECT_FALSE(distance.is_far());
  EXPECT_EQ(visit_and_sample(distance, kOneNanosecond), MarkDistance::kPollsASample);
}

// Timed is the read, without the clock.
TEST(MarkDistance, TimesEachReadOnce) {
  MarkDistance distance;
  int reads = 0;
  for (std::uint32_t i = 0; i < MarkDistance::kSamples; ++i) {
    while (!distance.count_poll()) continue;
    distance.sample([&] {
      ++reads;
      const auto start = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - start < 10 * MarkDistance::kFar) continue;
    });
    distance.end_sampled_visit();
  }
  EXPECT_EQ(reads, static_cast<int>(MarkDistance::kSamples));
  EXPECT_TRUE(distance.is_far());
}

}  // namespace
}  // namespace jackdaw::mark
