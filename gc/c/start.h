// Start: makes the collector behind the C interface when it is first needed.
#pragma once

#include <cstddef>

#include "gc/c/interface.h"
#include "gc/process/process_collector.h"
#include "gc/process/threads/thread_registry.h"

namespace jackdaw::c_interface {

/// Objects are this much longer than requested, but for those that allocate_uncollectable() returns: one byte
/// when all interior pointers count, so that an address just behind the last byte keeps the object. Fixed by
/// GC_init.
[[gnu::visibility("hidden")]] extern constinit std::size_t extra_bytes;

/// Returns the collector, made by GC_init if it was not yet. Registers the calling thread only when it makes
/// it.
inline gc::ProcessCollector& collector() {
  GC_init();
  return gc::ProcessCollector::instance();
}

/// Registers the calling thread, which is not registered, or ends the program when there is no memory for it.
void register_this_thread();

/// Returns the collector and registers the calling thread if need be. It ends the program where that fails,
/// as no exception may leave a C function.
inline gc::ProcessCollector& registered_collector() {
  gc::ProcessCollector& made = collector();
  if (gc::ThreadRegistry::current() == nullptr) [[unlikely]]
    register_this_thread();
  return made;
}

}  // namespace jackdaw::c_interface
