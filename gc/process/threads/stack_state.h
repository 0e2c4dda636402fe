// StackState and OwnStack: what a thread that collects says of its own stack.
#pragma once

#include <cstdint>

namespace jackdaw::gc {

/// Says what the calling thread's stack holds. The stacks of all other threads are searched in any
/// case.
enum class StackState : std::uint8_t {
  may_hold_references,  ///< it and the registers are searched for addresses of objects
  holds_none,  ///< they are not: no object that they lead to is used again unless something else does
};

/// The collecting thread's stack, as far as it is the program's.
struct OwnStack {
  std::uintptr_t pointer;  ///< what is below is the collector's own
  StackState state = StackState::may_hold_references;
};

}  // namespace jackdaw::gc
