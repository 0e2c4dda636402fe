// has_system_call_filter(): whether the thread is under a filter of system calls (seccomp).
#pragma once

#include <sys/prctl.h>

#include <cerrno>

namespace jackdaw::base {

/// Returns whether there is a filter, also where the question is refused, as only a filter refuses it. A
/// filter that comes on top of another is not told apart. It takes one system call and keeps `errno`.
inline bool has_system_call_filter() {
  const int error = errno;
  const int mode = prctl(PR_GET_SECCOMP);
  const bool is_unknown_to_kernel = mode < 0 && errno == EINVAL;
  errno = error;
  return mode != 0 && !is_unknown_to_kernel;
}

}  // namespace jackdaw::base
