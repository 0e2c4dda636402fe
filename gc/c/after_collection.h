// After a collection: what the thread that asked for it does then, without the lock.
#pragma once

#include "gc/c/finalizers.h"
#include "gc/c/leaks.h"

namespace jackdaw::c_interface {

/// Tells of leaks, and calls finalizers or tells of them. Throws what finalizers throw.
inline void attend_to_dead() {
  report_leaks();
  attend_to_finalizers();
}

}  // namespace jackdaw::c_interface
