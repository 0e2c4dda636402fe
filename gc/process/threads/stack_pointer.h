// The stack pointer: below it there is nothing of the calling function's or its callers'.
#pragma once

#include <cstdint>

namespace jackdaw::gc {

/// The calling function's stack pointer, with all registers that it preserves for its callers on the stack
/// above: so what the callers hold in registers lies between the result and the stack's end. Only while the
/// calling function runs, so it must not be one that the compiler may leave early by a tail call.
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
