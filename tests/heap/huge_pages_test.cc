// HugePages: chunks after one whose first page was slow do without.
#include "heap/huge_pages.h"

#include <gtest/gtest.h>

#include <chrono>

namespace jackdaw::heap {
namespace {

using std::chrono::microseconds;

constexpr microseconds kQuick{200};
constexpr microseconds kSlow{4000};

// How many chunks do without until the next that asks.
int chunks_without(HugePages& pages) {
  int count = 0;
  while (!pages.are_wanted()) ++count;
  return count;
}

TEST(HugePages, AreWantedWhileTheyComeQuickly) {
  HugePages pages;
  for (int chunk = 0; chunk < 100; ++chunk) {
    EXPECT_EQ(chunks_without(pages), 0);
    EXPECT_TRUE(pages.note_first(kQuick));
  }
}

TEST(HugePages, AreWantedLessOftenWhileTheyComeSlowly) {
  HugePages pages;
  EXPECT_EQ(chunks_without(pages), 0);
  for (const int without : {1, 2, 4, 8, 16, 16}) {
    EXPECT_FALSE(pages.note_first(kSlow));
    EXPECT_EQ(chunks_without(pages), without);
  }
}

TEST(HugePages, AreWantedAgainAfterAQuickOne) {
  HugePages pages;
  for (int chunk = 0; chunk < 4; ++chunk) {
    EXPECT_FALSE(pages.note_first(kSlow));
    chunks_without(pages);
  }
  EXPECT_TRUE(pages.note_first(kQuick));
  EXPECT_EQ(chunks_without(pages), 0);
  EXPECT_FALSE(pages.note_first(kSlow));
  EXPECT_EQ(chunks_without(pages), 1);
}

}  // namespace
}  // namespace jackdaw::heap
