#include "gc/process/threads/stop_signal.h"

#include <pthread.h>

#include <cerrno>
#include <system_error>

#include "base/signal_action.h"
#include "base/signal_mask.h"

namespace jackdaw::gc {

namespace {

// Whether the program has a handler for the signal.
bool is_handled(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_DFL &&
         action.sa_handler != SIG_IGN;
}

}  // namespace

std::optional<int> StopSignal::chosen_;
bool StopSignal::is_taken_ = false;

void StopSignal::choose(int signal) {
  if (!is_taken_) chosen_ = signal;
}

sigset_t StopSignal::removed_from(sigset_t signals) {
  sigdelset(&signals, number());
  return signals;
}

// The kernel calls the handler, or a sanitizer's handler that calls it.
void StopSignal::take() {
  struct sigaction action {};
  action.sa_sigaction = handler_;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  action.sa_mask = base::mask_of_all_signals();
  handler_of_kernel_ = reinterpret_cast<std::uintptr_t>(handler_);
  if (chosen_ || !is_handled(number())) {
    if (sigaction(number(), &action, nullptr) != 0)
      throw std::system_error(errno, std::generic_category(), "sigaction");
    const std::optional<base::SignalAction> taken = base::SignalAction::of(number());
    if (taken) handler_of_kernel_ = taken->handler;
  }
  is_taken_ = true;
}

void StopSignal::unblock() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, number());
  pthread_sigmask(SIG_UNBLOCK, &stop, nullptr);
}

// Asks the system each time: if the program resets all signals, or handles this one, the stop signal would be
// lost, or end the program.
bool StopSignal::is_ours() const {
  const std::optional<base::SignalAction> action = base::SignalAction::of(number());
  return !action || action->handler == handler_of_kernel_;
}

}  // namespace jackdaw::gc
