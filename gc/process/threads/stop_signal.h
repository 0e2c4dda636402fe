// StopSignal: the signal that stops threads.
#pragma once

#include <csignal>
#include <cstdint>
#include <optional>

namespace jackdaw::gc {

/// The process has one signal for this, and one object that takes it.
class StopSignal {
 public:
  using Handler = void (*)(int, siginfo_t*, void*);

  explicit StopSignal(Handler handler) : handler_(handler) {}

  /// It may be chosen before it is taken, and stays from then on. A thread that blocks or takes it is stopped
  /// by another (ReservedSignal), at first late, and so are all as long as the program does something else
  /// with it.
  static int number() { return chosen_.value_or(kDefault); }
  static void choose(int signal);
  /// `signals` without it: what a program may block.
  static sigset_t removed_from(sigset_t signals);

  /// Has the handler called for it, unless nobody chose it and the program has a handler for it. Throws
  /// std::system_error.
  void take();
  /// The calling thread may have inherited a mask that blocks the signal; it must not miss a stop.
  static void unblock();
  /// Whether the handler is in place.
  [[nodiscard]] bool is_ours() const;
  [[nodiscard]] Handler handler() const { return handler_; }

 private:
  // When its handler is taken away, or it is pending while its thread calls exec, the system ignores it.
  // Programs hardly ever use it, and debuggers hand it on without a word.
  static constexpr int kDefault = SIGURG;
  static std::optional<int> chosen_;
  static bool is_taken_;

  const Handler handler_;
  std::uintptr_t handler_of_kernel_ = 0;  // as long as the program leaves it
};

}  // namespace jackdaw::gc
