// Where checked objects were allocated that are no more, for JACKDAW_POISON.
#pragma once

#include "heap/poison.h"

namespace jackdaw::c_interface {

/// Remembers them from now on, if there is memory.
void remember_dead_places(heap::Poison& poison);

}  // namespace jackdaw::c_interface
