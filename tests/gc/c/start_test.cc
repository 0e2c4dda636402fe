// Starting and ending the collector through the C interface.
#include <gtest/gtest.h>

#include <cstdlib>

#include "gc/c/interface.h"

namespace {

TEST(Start, TellsTheVersionOfTheInterface) { EXPECT_EQ(GC_get_version(), 8U << 16 | 2U << 8 | 2U); }

TEST(Start, CollectsAndCounts) {
  GC_init();
  GC_init();
  const GC_word before = GC_get_gc_no();
  GC_gcollect();
  EXPECT_EQ(GC_get_gc_no(), before + 1);
}

TEST(StartDeathTest, EndsOnceOrTwice) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto begin_and_end = [] {
    GC_deinit();
    GC_init();
    GC_gcollect();
    GC_deinit();
    GC_deinit();
    std::exit(GC_is_init_called() != 0 ? 0 : 1);
  };
  EXPECT_EXIT(begin_and_end(), testing::ExitedWithCode(0), "");
}

}  // namespace
