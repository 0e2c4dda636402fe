// Dead places: where dead checked objects were allocated, for JACKDAW_POISON.
#pragma once

#include "heap/poison.h"

namespace jackdaw::c_interface {

/// Records the places of dying checked objects from now on, if there is memory.
void remember_dead_places(heap::Poison& poison);

}  // namespace jackdaw::c_interface
