// Mark procedures, mark bits and what marking has found: gc_mark.h.
#include "gc/c/log.h"
#include "gc/c/start.h"
#include "gc/marking/layout_word.h"
#include "gc/marking/visitor.h"
#include "heap/chunk.h"
#include "heap/heap.h"

namespace jackdaw::c_interface {

#pragma GCC visibility push(default)
extern "C" {

unsigned GC_new_proc_inner(GC_mark_proc procedure) {
  const std::optional<std::size_t> number = gc::MarkProcedures::add(procedure);
  if (!number) abort_program("there are too many mark procedures");
  return static_cast<unsigned>(*number);
}

unsigned GC_new_proc(GC_mark_proc procedure) { return GC_new_proc_inner(procedure); }

GC_ms_entry* GC_mark_and_push(void* object, GC_ms_entry* top, GC_ms_entry*, void**) {
  reinterpret_cast<gc::Visitor*>(top)->word(reinterpret_cast<std::uintptr_t>(object));
  return top;
}

int GC_is_marked(const void* object) { return heap::Chunk::of(object)->is_marked(object) ? 1 : 0; }

void GC_set_mark_bit(const void* object) { heap::Chunk::of(object)->mark_shared(object); }

void GC_clear_mark_bit(const void* object) { heap::Chunk::of(object)->unmark(object); }

void GC_enumerate_reachable_objects_inner(GC_reachable_object_proc function, void* data) {
  collector().heap().for_each_marked(
      [&](heap::Object* object) { function(object, heap::Heap::bytes_of(object), data); });
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
