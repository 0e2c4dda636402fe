// Stands in for base/signals_blocked.h: a model of the stop signal.
//
// A thread takes it where the program says so: between two steps of its own, at each fence between it and its
// handler, and where it waits. Of what is sent to it, it takes now or later, all at once. The system's lock
// orders a signal behind what its sender did before.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tests/verify/verify.h"

namespace verify {

inline constexpr std::size_t kThreads = 3;

/// The stop signal's handler of the program, in the calling thread.
void handle_stop_signal();

struct ThreadSignals {
  std::atomic<std::uint32_t> sent{0};
  // The thread's own.
  std::uint32_t taken = 0;
  bool are_blocked = false;
  int error = 0;  // errno
  bool has_waited = false;
};
inline std::array<ThreadSignals, kThreads> signals;

inline ThreadSignals& own_signals() { return signals[static_cast<std::size_t>(__VERIFIER_thread_self())]; }

// Release: the system's lock, as below.
inline void send_signal(std::size_t thread) { signals[thread].sent.fetch_add(1, std::memory_order_release); }

[[gnu::noinline]] inline void take_signals() {
  ThreadSignals& own = own_signals();
  if (own.are_blocked) return;
  const std::uint32_t sent = own.sent.load(std::memory_order_acquire);
  if (sent == own.taken) return;
  own.taken = sent;
  own.are_blocked = true;
  handle_stop_signal();
  own.are_blocked = false;
}

/// Returns when the condition, which has no effect, does not hold, or for a signal: then it is true.
// Relaxed: who has waited asks again.
template <typename Condition>
bool is_interrupted_while(Condition holds) {
  const ThreadSignals& own = own_signals();
  if (own.are_blocked) {
    while (holds()) continue;
    return false;
  }
  const std::uint32_t taken = own.taken;
  while (holds() && own.sent.load(std::memory_order_relaxed) == taken) continue;
  return own.sent.load(std::memory_order_relaxed) != taken;
}

/// Takes so many, in all.
inline void await_signals(std::uint32_t count) {
  while (own_signals().taken < count) {
    static_cast<void>(is_interrupted_while([] { return true; }));
    take_signals();
  }
}

// More than are sent before the end.
inline constexpr std::uint32_t kEnd = 1U << 16;

/// By the thread that stops others, when it has done so for the last time: sends one more, which asks
/// nothing.
// Relaxed: a thread sees what was done in a stop because it went on from it, not because of this.
inline void end_stops(std::size_t thread) { signals[thread].sent.fetch_add(kEnd, std::memory_order_relaxed); }
/// Takes signals until then. A thread that stops by itself may get no other.
inline void await_end_of_stops() { await_signals(kEnd); }

}  // namespace verify

namespace jackdaw::base {

using SignalBits = std::uint64_t;

constexpr SignalBits bit_of(int signal) { return SignalBits{1} << (signal - 1); }
inline constexpr SignalBits kAllSignals = ~SignalBits{0};

class SignalsBlocked {
 public:
  explicit SignalsBlocked(SignalBits) : before_(verify::own_signals().are_blocked) {
    verify::own_signals().are_blocked = true;
  }
  ~SignalsBlocked() {
    verify::own_signals().are_blocked = before_;
    verify::take_signals();
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  bool before_;
};

}  // namespace jackdaw::base
