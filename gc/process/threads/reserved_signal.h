// ReservedSignal: a signal that reaches threads which block all that they can.
//
// The C library keeps two signals for itself, and no function of its blocks them, whatever set it is given.
// With one it has every thread change its user (setuid): that one is shared with it here. Sent with a note of
// ours it is ours, and all others go to the C library's handler, which is not replaced once there are two
// threads.
#pragma once

#include <sys/types.h>

#include <csignal>

namespace jackdaw::gc {

struct ReservedSignal {
  using Handler = void (*)(int, siginfo_t*, void*);
  /// glibc's SIGSETXID.
  static constexpr int kNumber = 33;

  /// From now on `handler` is called for what send() sends, with all signals blocked. False, with nothing
  /// changed, where the C library does not use the signal yet: it would replace the handler.
  static bool share(Handler handler);
  /// After share(). Sends it to a thread of this process, by the system's number. False, with errno set, as
  /// tgkill.
  static bool send(pid_t thread);
};

}  // namespace jackdaw::gc
