// After a collection: what the thread that asked for it does once the lock is released.
#pragma once

#include "gc/c/finalizers.h"
#include "gc/c/leaks.h"

namespace jackdaw::c_interface {

/// Reports leaks, and calls ready finalizers or tells the program of them. Throws what finalizers throw.
inline void attend_to_dead() {
  report_leaks();
  attend_to_finalizers();
}

}  // namespace jackdaw::c_interface
