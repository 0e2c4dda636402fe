// The lock: gc.h, section 10.
#include <mutex>

#include "gc/c/start.h"

namespace jackdaw::c_interface {

#pragma GCC visibility push(default)
extern "C" {

void* GC_call_with_alloc_lock(GC_fn_type function, void* data) {
  const std::lock_guard lock(collector().lock());
  return function(data);
}

// Readers exclude each other, too, which a program cannot tell.
void* GC_call_with_reader_lock(GC_fn_type function, void* data, int) {
  return GC_call_with_alloc_lock(function, data);
}

void GC_alloc_lock() { collector().lock().lock(); }
void GC_alloc_unlock() { collector().lock().unlock(); }

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
