// ReservedSignal: a signal that reaches threads even if they block all signals that a program can block.
//
// The C library reserves two signals, which its functions never block, whatever set they get. With one it
// makes every thread change its user (setuid); the collector shares that one. A signal that carries our mark
// is ours, and all others go to the C library's handler, which is not replaced once there are two threads.
#pragma once

#include <sys/types.h>

#include <csignal>

namespace jackdaw::gc {

struct ReservedSignal {
  using Handler = void (*)(int, siginfo_t*, void*);
  /// This is glibc's SIGSETXID.
  static constexpr int kNumber = 33;

  /// Has `handler` called for signals from send(), with all signals blocked. False, with nothing changed,
  /// where the C library has not installed its handler yet: it would replace this one.
  static bool share(Handler handler);
  /// Sends the signal to a thread of this process, by the system's number, after share(). False, with errno
  /// set, where tgkill fails.
  static bool send(pid_t thread);
};

}  // namespace jackdaw::gc
