// Hooks: what a program wants to be told of, in the collector's own terms.
#pragma once

#include "gc/process/process_collector.h"

namespace jackdaw::c_interface {

/// Tells the program what it asked to be told of. With the lock, at each event.
void tell_program(gc::CollectionEvent event);

/// Sees to it that the collector tells all that programs may ask for.
void install_hooks(gc::ProcessCollector& collector);

}  // namespace jackdaw::c_interface
