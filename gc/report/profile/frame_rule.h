// FrameRule: where the frame of a call ends, and what its caller's frame pointer was, in 28 bits.
//
// Nearly all code on x86-64 ends its frames at a fixed distance from the stack or the frame pointer, with the
// return address last, and saves the caller's frame pointer at a fixed place if at all.
#pragma once

#include <cstdint>

namespace jackdaw::gc {

/// It is a plain value that fits into a word with a part of an address.
struct FrameRule {
  /// Names the register that the frame's end is counted from. `unknown`: a rule cannot say it. `outermost`:
  /// there is no caller.
  enum class Base : std::uint8_t { unknown, stack_pointer, frame_pointer, outermost };
  static constexpr int kBits = 28;
  static constexpr std::uint64_t kMostSaved = (1U << 8) - 1;
  static constexpr std::uint64_t kMostWords = (1U << 18) - 1;

  static constexpr FrameRule of_bits(std::uint64_t bits) {
    return {static_cast<Base>(bits & 3), bits >> 2 & kMostSaved, bits >> 10 & kMostWords};
  }
  [[nodiscard]] constexpr std::uint64_t bits() const {
    return static_cast<std::uint64_t>(base) | saved << 2 | words << 10;
  }

  Base base = Base::unknown;
  std::uint64_t saved = 0;  ///< words from the caller's frame pointer to the end; 0: it is unchanged
  std::uint64_t words = 0;  ///< from the base to the end
};

/// Returns the rule at an address of code, from its call frame information. It holds until that code is
/// unloaded. Any thread; no malloc.
FrameRule find_frame_rule(std::uintptr_t code);

}  // namespace jackdaw::gc
