// SignalsBlocked: a thread's signal mask as the kernel has it, with the signals that the C library keeps for
// itself and that its own functions leave out of every mask.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>

namespace jackdaw::base {

/// A set of signals: bit `signal` - 1 for each.
using SignalBits = std::uint64_t;

constexpr SignalBits bit_of(int signal) { return SignalBits{1} << (signal - 1); }
inline constexpr SignalBits kAllSignals = ~SignalBits{0};
/// These signals leave out the C library's own: that of pthread_cancel, and that of setuid, which waits until
/// every thread has taken it.
inline constexpr SignalBits kAllProgramSignals = kAllSignals & ~bit_of(32) & ~bit_of(33);

/// While it exists, the calling thread blocks these signals and no others; threads that it starts inherit
/// that. May be made in a signal handler.
class SignalsBlocked {
 public:
  explicit SignalsBlocked(SignalBits signals) {
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &signals, &before_, sizeof before_);
  }
  ~SignalsBlocked() { syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before_, nullptr, sizeof before_); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  SignalBits before_ = 0;
};

}  // namespace jackdaw::base
