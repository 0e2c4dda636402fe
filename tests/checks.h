// Tests of JACKDAW_CHECK's places: they need a build that has them.
#pragma once

#include <gtest/gtest.h>

#include <csignal>

#include "base/check.h"

namespace jackdaw::testing_checks {

#if defined(JACKDAW_CHECKS)
inline constexpr bool kAreOn = true;
#else
inline constexpr bool kAreOn = false;
#endif

}  // namespace jackdaw::testing_checks

/// That the statement ends the process by the check of that condition, a regular expression.
#define EXPECT_CHECK_TO_FAIL(statement, condition) \
  EXPECT_EXIT(statement, testing::KilledBySignal(SIGABRT), "check failed: " condition)
