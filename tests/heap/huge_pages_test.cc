// HugePages: parts of a heap after one whose huge page was slow to come do without.
#include "heap/huge_pages.h"

#include <gtest/gtest.h>

#include <chrono>

namespace jackdaw::heap {
namespace {

using std::chrono::microseconds;

constexpr microseconds kQuick{200};
constexpr microseconds kSlow{4000};

// How many parts do without until the next that asks.
int parts_without(HugePages& pages) {
  int count = 0;
  while (!pages.are_wanted()) ++count;
  return count;
}

TEST(HugePages, AreWantedWhileTheyComeQuickly) {
  HugePages pages;
  for (int part = 0; part < 100; ++part) {
    EXPECT_EQ(parts_without(pages), 0);
    pages.note(kQuick);
  }
}

TEST(HugePages, AreAlwaysOrNeverWanted) {
  for (const HugePageUse use : {HugePageUse::always, HugePageUse::never}) {
    HugePages pages;
    pages.set_use(use);
    for (const microseconds time : {kQuick, kSlow, kSlow, kQuick}) {
      EXPECT_EQ(pages.are_wanted(), use == HugePageUse::always);
      pages.note(time);
    }
  }
}

TEST(HugePages, AreWantedLessOftenWhileTheyComeSlowly) {
  HugePages pages;
  EXPECT_EQ(parts_without(pages), 0);
  for (const int without : {1, 2, 4, 8, 16, 32, 64, 128, 128}) {
    pages.note(kSlow);
    EXPECT_EQ(parts_without(pages), without);
  }
}

TEST(HugePages, AreWantedMoreOftenAfterQuickOnes) {
  HugePages pages;
  for (int part = 0; part < 4; ++part) {
    pages.note(kSlow);
    parts_without(pages);
  }
  for (int round = 0; round < 3; ++round) {
    pages.note(kQuick);
    EXPECT_EQ(parts_without(pages), 0);
    pages.note(kSlow);
    EXPECT_EQ(parts_without(pages), 8);
  }
  for (int part = 0; part < 4; ++part) {
    pages.note(kQuick);
    EXPECT_EQ(parts_without(pages), 0);
  }
  pages.note(kSlow);
  EXPECT_EQ(parts_without(pages), 1);
}

TEST(HugePages, AreNotTakenForQuickWhereTheyWereThere) {
  HugePages pages;
  for (const int without : {1, 2, 4}) {
    pages.note(kSlow);
    pages.note(std::chrono::microseconds{1});
    EXPECT_EQ(parts_without(pages), without);
  }
}

}  // namespace
}  // namespace jackdaw::heap
