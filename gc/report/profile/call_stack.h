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
  /// no malloc, but may take a lock of the loader's the first time.
  [[gnu::noinline]] void take();
  /// Returns addresses in the calls, the innermost first.
  [[nodiscard]] std::span<const std::uintptr_t> frames() const { return std::span(frames_).first(size_); }
  void add(std::uintptr_t address) { frames_[size_++] = address; }
  [[nodiscard]] bool is_full() const { return size_ == kMostFrames; }

 private:
  std::array<std::uintptr_t, kMostFrames> frames_;
  std::size_t size_ = 0;
};

}  // namespace jackdaw::gc
