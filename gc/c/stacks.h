// Stacks: where the main thread's ends, as the program told before GC_init.
#pragma once

#include "gc/process/process_collector.h"

namespace jackdaw::c_interface {

/// Tells the collector, which was just made by the main thread, what GC_stackbottom says; or the other way
/// round.
void apply_stack_end(gc::ProcessCollector& collector);

}  // namespace jackdaw::c_interface
