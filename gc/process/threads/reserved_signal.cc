#include "gc/process/threads/reserved_signal.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <optional>

#include "base/signal_action.h"

namespace jackdaw::gc {

namespace {

// It is written before the handler is installed.
constinit base::SignalAction of_c_library{};
constinit ReservedSignal::Handler our_handler = nullptr;

bool is_ours(const siginfo_t& info) {
  return info.si_code == SI_QUEUE && info.si_value.sival_ptr == &our_handler;
}

void handle(int signal, siginfo_t* info, void* context) {
  if (is_ours(*info)) {
    our_handler(signal, info, context);
  } else {
    reinterpret_cast<void (*)(int, siginfo_t*, void*)>(of_c_library.handler)(signal, info, context);
  }
}

}  // namespace

bool ReservedSignal::share(Handler handler) {
  std::optional<base::SignalAction> action = base::SignalAction::of(kNumber);
  if (!action || action->handler == 0) return false;
  const auto shared = reinterpret_cast<std::uintptr_t>(handle);
  if (action->handler == shared) return true;
  of_c_library = *action;
  our_handler = handler;
  action->handler = shared;
  action->flags |= SA_SIGINFO | SA_RESTART;
  action->blocked = base::kAllSignals;
  return action->set_for(kNumber);
}

bool ReservedSignal::send(pid_t thread) {
  siginfo_t info{};
  info.si_signo = kNumber;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = &our_handler;
  return syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, kNumber, &info) == 0;
}

}  // namespace jackdaw::gc
