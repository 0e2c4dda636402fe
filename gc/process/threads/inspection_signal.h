// InspectionSignal: recognises the signals by which another process inspects this one (InspectionPage). They
// have the stop signal's number, which is handled anyway, and carry a word that nobody else sends.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <csignal>
#include <cstdint>

namespace jackdaw::gc {

/// A process has one function for such signals.
class InspectionSignal {
 public:
  /// Called in the signal's handler, with the inspecting process and the number of its file.
  using Function = void (*)(pid_t inspector, int descriptor);

  /// The number of the signal. Its default action is to ignore it.
  static constexpr int kNumber = SIGURG;

  /// Returns the word that a signal carries with the number of a file.
  static void* word_of(int descriptor) {
    return reinterpret_cast<void*>(kMark << 32 |  // NOLINT(performance-no-int-to-ptr)
                                   static_cast<std::uint32_t>(descriptor));
  }
  // Release: pairs with the acquire in take(), so that the function finds what it needs.
  static void set_function(Function function) { function_.store(function, std::memory_order_release); }
  /// Calls the function if the signal is an inspector's, and returns whether it is. For signal handlers.
  static bool take(const siginfo_t* info) {
    if (info == nullptr || info->si_code != SI_QUEUE) return false;
    const auto word = reinterpret_cast<std::uint64_t>(info->si_value.sival_ptr);
    if (word >> 32 != kMark) return false;
    // Acquire: pairs with the release in set_function().
    const Function function = function_.load(std::memory_order_acquire);
    if (function != nullptr && info->si_pid > 0)
      function(info->si_pid, static_cast<int>(static_cast<std::uint32_t>(word)));
    return true;
  }

 private:
  static constexpr std::uint64_t kMark = 0x4a44'494e;

  static inline constinit std::atomic<Function> function_{nullptr};
};

}  // namespace jackdaw::gc
