// confine_this_thread: ties a test's thread to one processor.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>

#include <cstddef>

namespace jackdaw {

/// Ties the calling thread to the processor of that number, the system's. Those that it starts inherit that.
inline void confine_this_thread(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(processor), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
}

}  // namespace jackdaw
