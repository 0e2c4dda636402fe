// Writing without SIGXFSZ and SIGPIPE, whose default action would end the program.
#pragma once

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>

#include "base/signals_blocked.h"

namespace jackdaw::base {

/// Calls `write`, which writes up to `bytes` bytes to a file and returns how many, or -1. Signals for a limit
/// of file sizes and for a pipe without a reader are not delivered, whatever handlers the program has.
template <typename Write>
ssize_t write_quietly(std::size_t bytes, Write write) {
  constexpr SignalBits kSent = bit_of(SIGXFSZ) | bit_of(SIGPIPE);
  SignalBits before = 0;
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &kSent, &before, sizeof before);
  const ssize_t written = write();
  const int error = errno;
  constexpr timespec kAtOnce{};
  // A short write to a pipe may be one whose reader went away, which has raised SIGPIPE.
  if (written < static_cast<ssize_t>(bytes))
    syscall(SYS_rt_sigtimedwait, &kSent, nullptr, &kAtOnce, sizeof kSent);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof before);
  errno = error;
  return written;
}

}  // namespace jackdaw::base
