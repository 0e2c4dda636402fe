// Start: the collector behind the C interface, made when it is first needed.
#pragma once

#include <cstddef>

#include "gc/c/interface.h"
#include "gc/process/process_collector.h"

namespace jackdaw::c_interface {

/// Bytes that every object is longer than was asked for: one when all interior pointers count, so that an
/// address just behind the last byte keeps the object. Fixed by GC_init.
extern constinit std::size_t extra_bytes;

/// The collector, made by GC_init if it was not yet. Registers the calling thread only when it makes it.
inline gc::ProcessCollector& collector() {
  GC_init();
  return gc::ProcessCollector::instance();
}

}  // namespace jackdaw::c_interface
