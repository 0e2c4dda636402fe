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

namespace {

// Set before there are other threads.
constinit bool has_profiler = false;

}  // namespace

void look_for_free_profiler() {
  void (*hook)(void*) = GC_free_profiler_hook;
  asm volatile("" : "+r"(hook));  // the compiler shall not know that the two are one
  has_profiler = hook != jackdaw_free_profiler_hook;
}

void tell_profiler_of_freed(void* object) {
  if (has_profiler) [[unlikely]]
    GC_free_profiler_hook(object);
}

void tell_profiler_of_dead() {
  if (!has_profiler) return;
  heap::Heap& heap = collector().heap();
  heap.withdraw_free_slots();
  heap.for_each_object_of(may_die, [](heap::Object* object) {
    if (!heap::Chunk::of(object)->is_marked(object)) GC_free_profiler_hook(object);
  });
}

}  // namespace jackdaw::c_interface
