// Statistics: totals over all collections.
#pragma once

#include "gc/process/process_hooks.h"

namespace jackdaw::c_interface {

/// Adds what a collection did. With the lock, at each of its events.
void count_event(gc::CollectionEvent event);

}  // namespace jackdaw::c_interface
