// Collecting, the heap's size, and how much of both there was: gc.h, sections 12, 13 and 16.
#include <new>

#include "gc/c/log.h"
#include "gc/c/start.h"

namespace jackdaw::c_interface {

extern "C" {

void GC_gcollect() {
  gc::ProcessCollector& collector = c_interface::collector();
  if (collector.is_disabled()) return;
  try {
    collector.collect();
  } catch (const std::bad_alloc&) {
    warn("jackdaw: there is no memory to begin collection %lu", collector.collections() + 1);
  }
}

int GC_expand_hp(std::size_t bytes) {
  try {
    return collector().expand(bytes) ? 1 : 0;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

GC_word GC_get_gc_no() { return collector().collections(); }

std::size_t GC_get_heap_size() { return collector().heap().chunk_bytes(); }

}  // extern "C"

}  // namespace jackdaw::c_interface
