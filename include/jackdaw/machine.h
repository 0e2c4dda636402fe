// The machine as this process may use it: which mark thread belongs on which memory node, and how many can
// run at once. Fills in MarkerOptions (jackdaw/marker.h). Link jackdaw::machine.
#pragma once

#if __cplusplus < 202002L
#error "Jackdaw's C++ interface needs C++20: compile with -std=c++20"
#else

#include "machine/binding.h"
#include "machine/topology.h"
#include "machine/usable_processors.h"

namespace jackdaw {

using machine::Binding;
using machine::Topology;
using machine::usable_processors;

}  // namespace jackdaw

#endif
