// Object start: the objects behind the addresses that programs hand back.
#pragma once

#include <cstdint>

#include "gc/c/start.h"
#include "heap/layout.h"
#include "heap/object.h"

namespace jackdaw::c_interface {

/// Where the object starts that an allocation function returned as `address`: there, unless it was aligned to
/// more than a block (GC_memalign).
inline heap::Object* start_of(void* address) {
  const bool is_in_slot = (reinterpret_cast<std::uintptr_t>(address) & (heap::kBlockBytes - 1)) != 0;
  if (is_in_slot) [[likely]]
    return static_cast<heap::Object*>(address);
  return collector().heap().object_at(address);
}

}  // namespace jackdaw::c_interface
