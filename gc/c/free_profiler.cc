#include "gc/c/free_profiler.h"

#include "gc/c/kinds.h"
#include "gc/c/start.h"
#include "heap/chunk.h"
#include "heap/heap.h"

extern "C" {

// A profiler defines it anew, in the program or in a library that is loaded before this one.
[[gnu::weak, gnu::visibility("default")]] void GC_free_profiler_hook(void* object) {
  asm volatile("" : : "r"(object));
}

// The function above, whatever a profiler defines.
[[gnu::alias("GC_free_profiler_hook"), gnu::visibility("hidden")]] void jackdaw_free_profiler_hook(void*);
}

namespace jackdaw::c_interface {

constinit bool has_free_profiler = false;

void look_for_free_profiler() {
  void (*hook)(void*) = GC_free_profiler_hook;
  asm volatile("" : "+r"(hook));  // the compiler shall not know that the two are one
  has_free_profiler = hook != jackdaw_free_profiler_hook;
}

void tell_profiler_of_dead() {
  if (!has_free_profiler) return;
  heap::Heap& heap = collector().heap();
  heap.for_each_object_of(may_die, [](heap::Object* object) {
    if (!heap::Chunk::of(object)->is_marked(object)) GC_free_profiler_hook(object);
  });
}

}  // namespace jackdaw::c_interface
