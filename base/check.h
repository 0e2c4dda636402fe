// JACKDAW_CHECK: what must hold in the library's own code, checked in builds that define JACKDAW_CHECKS.
//
// All files that use one header must be compiled with it or without it: CMake's option of the same name sees
// to that. A check takes no lock and no memory, since it may run while the program is stopped at any
// instruction. It changes no object's layout.
#pragma once

#if defined(JACKDAW_CHECKS)

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace jackdaw::base {

/// Writes a whole line in one system call and ends the process with SIGABRT. Safe in signal handlers.
[[noreturn, gnu::cold, gnu::noinline]] inline void end_at_check(std::string_view line) {
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) std::abort();
  std::abort();
}

}  // namespace jackdaw::base

#define JACKDAW_CHECK_TEXT_OF(token) #token
#define JACKDAW_CHECK_TEXT(token) JACKDAW_CHECK_TEXT_OF(token)
/// Ends the process with a line on the error output unless the condition holds.
#define JACKDAW_CHECK(condition)                                                            \
  ((condition) ? static_cast<void>(0)                                                       \
               : ::jackdaw::base::end_at_check("jackdaw: " __FILE__ ":" JACKDAW_CHECK_TEXT( \
                     __LINE__) ": check failed: " #condition "\n"))

#else

/// The condition is compiled, so that it stays right, and never evaluated.
#define JACKDAW_CHECK(condition) static_cast<void>(false && (condition))

#endif
