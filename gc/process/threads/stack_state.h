// StackState and OwnStack: the collecting thread's statement about its own stack.
#pragma once

#include <cstdint>

namespace jackdaw::gc {

/// Tells whether the calling thread's stack may hold references. The stacks of all other threads are always
/// scanned.
enum class StackState : std::uint8_t {
  may_hold_references,  ///< it and the registers are scanned for addresses of objects
  holds_none,           ///< they are not scanned: the thread uses no object that only they refer to
};

/// The program's part of the collecting thread's stack.
struct OwnStack {
  std::uintptr_t pointer;  ///< below it the stack is the collector's
  StackState state = StackState::may_hold_references;
};

}  // namespace jackdaw::gc
