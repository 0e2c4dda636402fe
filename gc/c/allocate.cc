#include "gc/c/allocate.h"

#include <limits>
#include <new>

#include "gc/c/settings.h"

namespace jackdaw::c_interface {

namespace {

// Calls `function(bytes)` with the bytes that the object really has.
template <typename Function>
void* with_extra_bytes(std::size_t bytes, Function function) {
  gc::ProcessCollector& collector = c_interface::collector();
  void* object = nullptr;
  if (bytes <= std::numeric_limits<std::size_t>::max() - extra_bytes) {
    try {
      object = function(collector, bytes + extra_bytes);
    } catch (const std::bad_alloc&) {  // the thread could not be registered
      object = nullptr;
    }
  }
  return object != nullptr ? object : out_of_memory(bytes);
}

}  // namespace

void* out_of_memory(std::size_t bytes) { return GC_oom_fn(bytes); }

void* allocate_slowly(std::size_t bytes, heap::KindNumber kind) {
  return with_extra_bytes(bytes, [kind](gc::ProcessCollector& collector, std::size_t whole) {
    return collector.allocate(whole, kind);
  });
}

void* allocate_kept_near_start(std::size_t bytes, heap::KindNumber kind) {
  return with_extra_bytes(bytes, [kind](gc::ProcessCollector& collector, std::size_t whole) {
    return collector.allocate_kept_near_start(whole, kind);
  });
}

}  // namespace jackdaw::c_interface
