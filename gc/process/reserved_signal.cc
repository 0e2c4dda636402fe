#include "gc/process/reserved_signal.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

#include "gc/process/signal_mask.h"

namespace jackdaw::gc {

namespace {

// As the kernel has it: the C library's own function refuses the signal.
struct KernelAction {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*way_back)();
  base::SignalBits blocked;
};

// Written before the handler is installed.
constinit KernelAction of_c_library{};
constinit ReservedSignal::Handler our_handler = nullptr;

bool change_action(int signal, const KernelAction* action, KernelAction* before) {
  return syscall(SYS_rt_sigaction, signal, action, before, sizeof(base::SignalBits)) == 0;
}

bool is_ours(const siginfo_t& info) {
  return info.si_code == SI_QUEUE && info.si_value.sival_ptr == &our_handler;
}

void handle(int signal, siginfo_t* info, void* context) {
  if (is_ours(*info)) {
    our_handler(signal, info, context);
  } else if (of_c_library.handler != nullptr) {
    of_c_library.handler(signal, info, context);
  }
}

}  // namespace

void ReservedSignal::share(Handler handler, int model) {
  KernelAction before{};
  KernelAction action{};
  if (!change_action(kNumber, nullptr, &before) || !change_action(model, nullptr, &action)) return;
  if (before.handler == handle) return;
  of_c_library = before;
  our_handler = handler;
  action.handler = handle;
  action.flags |= SA_SIGINFO | (before.flags & SA_ONSTACK);
  change_action(kNumber, &action, nullptr);
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
