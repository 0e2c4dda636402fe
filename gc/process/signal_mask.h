// Signal masks as the kernel has them, with the signals that the C library keeps for itself and that its own
// functions leave out of every mask.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <optional>

namespace jackdaw::gc {

/// A set of signals: bit `signal` - 1 for each.
using SignalBits = std::uint64_t;

constexpr SignalBits bit_of(int signal) { return SignalBits{1} << (signal - 1); }
inline constexpr SignalBits kAllSignals = ~SignalBits{0};

/// All signals, as sigaction wants them for a handler: no other one interrupts it, and the thread is not
/// cancelled in it, which else happens in any function that is a cancellation point and was interrupted.
sigset_t mask_of_all_signals();

/// While it exists, the calling thread blocks these signals and no others; with all of them the same holds as
/// above. May be made in a signal handler.
class SignalsBlocked {
 public:
  explicit SignalsBlocked(SignalBits signals = kAllSignals);
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  SignalBits before_ = 0;
};

/// What a thread of this process, by the system's number, blocks; nothing when that cannot be found out.
/// Neither allocates nor locks.
std::optional<SignalBits> blocked_signals_of(pid_t thread);

}  // namespace jackdaw::gc
