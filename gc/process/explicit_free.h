// free_explicitly(): frees single objects, for the program and for the collector on its behalf.
#pragma once

#include <cstddef>

#include "gc/process/process_counters.h"
#include "gc/process/profiling.h"
#include "gc/process/threads/thread_registry.h"
#include "heap/heap.h"
#include "heap/object.h"

namespace jackdaw::gc {

/// Frees an object, given its first address; it must not be used any more. Returns its bytes. Any thread.
inline std::size_t free_explicitly(ThreadRegistry& threads, ProcessCounters& counters, Profiling& profiling,
                                   heap::Object* object) {
  profiling.note_freed(object);
  ProcessThread& thread = threads.this_thread();
  const ThreadRegistry::CriticalSection critical(thread);
  const std::size_t bytes = thread.allocator().free(object);
  counters.count_freed(bytes);
  return bytes;
}

}  // namespace jackdaw::gc
