// StopSignal: the signal that stops threads, and its handler.
#pragma once

#include <csignal>
#include <cstdint>
#include <optional>

namespace jackdaw::gc {

/// A process has one stop signal, and one object that installs the handler.
class StopSignal {
 public:
  using Handler = void (*)(int, siginfo_t*, void*);

  explicit StopSignal(Handler handler) : handler_(handler) {}

  /// Returns the signal's number. It may be chosen until the handler is installed. A thread that blocks or
  /// takes the signal is stopped by ReservedSignal, late the first time, and so are all threads while the
  /// program has another handler for it.
  static int number() { return chosen_.value_or(kDefault); }
  static void choose(int signal);
  /// Returns `signals` without the stop signal: what a program may block.
  static sigset_t removed_from(sigset_t signals);

  /// Installs the handler, unless no signal was chosen and the program handles the default one. Throws
  /// std::system_error.
  void take();
  /// Unblocks the signal in the calling thread, which may have inherited a mask that blocks it.
  static void unblock();
  /// Whether the handler is installed.
  [[nodiscard]] bool is_ours() const;
  [[nodiscard]] Handler handler() const { return handler_; }

 private:
  // The default action of SIGURG is to ignore it, so the signal does no harm when the program removes the
  // handler or calls exec while the signal is pending. Programs rarely use it, and debuggers pass it on
  // silently.
  static constexpr int kDefault = SIGURG;
  static std::optional<int> chosen_;
  static bool is_taken_;

  const Handler handler_;
  std::uintptr_t handler_of_kernel_ = 0;  // until the program replaces it
};

}  // namespace jackdaw::gc
