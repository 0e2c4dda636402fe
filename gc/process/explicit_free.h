// free_explicitly(): frees single objects, for the program and for the collector on its behalf.
#pragma once

#include "gc/process/process_counters.h"
#include "gc/process/profiling.h"
#include "gc/process/threads/thread_registry.h"
#include "heap/allocator.h"
#include "heap/object.h"

namespace jackdaw::gc {

/// Frees an object, given its first address; it must not be used any more. Any thread.
inline heap::Freed free_explicitly(ThreadRegistry& threads, ProcessCounters& counters, Profiling& profiling,
                                   heap::Object* object) {
  profiling.note_freed(object);
  ProcessThread& thread = threads.this_thread();
  const ThreadRegistry::CriticalSection critical(thread);
  const heap::Freed freed = thread.allocator().free(object);
  counters.count_freed(freed.bytes);
  return freed;
}

}  // namespace jackdaw::gc
