// Stands in for gc/process/threads/stack_pointer.h, without assembly.
#pragma once

#include <cstdint>

namespace jackdaw::gc {

inline std::uintptr_t stack_pointer_below_registers() { return 8; }

}  // namespace jackdaw::gc
