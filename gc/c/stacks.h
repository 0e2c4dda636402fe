// Stacks: the end of the main thread's stack, as the program set it before GC_init.
#pragma once

#include "gc/process/process_collector.h"

namespace jackdaw::c_interface {

/// Passes GC_stackbottom to the collector, which the main thread just made, or sets it from the collector.
void apply_stack_end(gc::ProcessCollector& collector);

}  // namespace jackdaw::c_interface
