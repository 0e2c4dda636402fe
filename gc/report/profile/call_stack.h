// CallStack: where the calling thread is, as addresses of code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace jackdaw::gc {

/// One thread.
class CallStack {
 public:
  static constexpr std::size_t kMostFrames = 64;

  /// Takes the calling thread's innermost frames, without those in the collector's own shared library. Calls
  /// no malloc, but may take a lock of the loader's the first time. `end`: that of the stack which
  /// the thread runs on; 0: unknown, and rules are not used.
  [[gnu::noinline]] void take(std::uintptr_t end = 0);
  /// Takes them by rules (FrameRule), which are kept in a table. False where a frame has none, or is not
  /// below the stack's end.
  [[gnu::noinline]] bool take_by_rules(std::uintptr_t end);
  /// Takes them by the unwinder of exceptions, which searches tables for each frame anew.
  [[gnu::noinline]] void take_by_unwinder();
  /// Forgets the rules: code was unloaded, and its addresses may be others'. Any thread.
  static void forget_rules();
  /// Returns addresses in the calls, the innermost first.
  [[nodiscard]] std::span<const std::uintptr_t> frames() const { return std::span(frames_).first(size_); }
  void add(std::uintptr_t address) { frames_[size_++] = address; }
  [[nodiscard]] bool is_full() const { return size_ == kMostFrames; }

 private:
  std::array<std::uintptr_t, kMostFrames> frames_;
  std::size_t size_ = 0;
};

}  // namespace jackdaw::gc
