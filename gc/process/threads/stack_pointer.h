// The stack pointer, above which lie the calling function's variables and its callers'.
#pragma once

#include <cstdint>

namespace jackdaw::gc {

/// Returns the calling function's stack pointer, after spilling all callee-saved registers to the stack above
/// it, so that the callers' register values lie there. Valid only while the calling function runs: it must
/// not end early by a tail call.
[[gnu::always_inline]] inline std::uintptr_t stack_pointer_below_registers() {
  __builtin_unwind_init();
  std::uintptr_t pointer = 0;
#if defined(__x86_64__)
  asm volatile("mov %%rsp, %0" : "=r"(pointer));
#elif defined(__aarch64__)
  asm volatile("mov %0, sp" : "=r"(pointer));
#else
#error "which register is the stack pointer here?"
#endif
  return pointer;
}

}  // namespace jackdaw::gc
