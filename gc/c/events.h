// Events: what the library itself does at the steps of a collection.
#pragma once

#include "gc/process/process_hooks.h"

namespace jackdaw::c_interface {

/// The collector's hook (ProcessHooks::event).
void on_collection_event(gc::CollectionEvent event);

}  // namespace jackdaw::c_interface
