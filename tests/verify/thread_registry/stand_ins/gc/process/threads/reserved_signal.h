// Stands in for gc/process/threads/reserved_signal.h: the C library does not use it.
#pragma once

#include <sys/types.h>

#include <csignal>

namespace jackdaw::gc {

struct ReservedSignal {
  using Handler = void (*)(int, siginfo_t*, void*);
  static constexpr int kNumber = 33;
  static bool share(Handler) { return false; }
  static bool send(pid_t) { return false; }
};

}  // namespace jackdaw::gc
