// Hooks: the program's callbacks, in the collector's own terms.
#pragma once

#include "gc/process/process_collector.h"

namespace jackdaw::c_interface {

/// Calls the program's callbacks for an event. With the lock.
void tell_program(gc::CollectionEvent event);

/// Makes the collector call these hooks at all events that programs may ask for.
void install_hooks(gc::ProcessCollector& collector);

}  // namespace jackdaw::c_interface
