// Checked pointer arithmetic: gc.h, section 20.
#include <cstddef>
#include <cstdint>

#include "gc/c/log.h"
#include "gc/c/object_start.h"
#include "heap/chunk.h"
#include "heap/word_scan.h"

namespace jackdaw::c_interface {

namespace {

bool lies_in_heap(const void* address) { return GC_is_heap_ptr(address) != 0; }

void report_different_objects(void* p, void* q) {
  log_line("jackdaw: %p and %p do not lie in the same object", p, q);
  abort_program("GC_same_obj failed");
}

void report_invisible(void* p) {
  log_line("jackdaw: a pointer at %p keeps nothing", p);
  abort_program("GC_is_visible failed");
}

void report_displacement(void* p) {
  log_line("jackdaw: %p is an address that keeps no object", p);
  abort_program("GC_is_valid_displacement failed");
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

GC_same_obj_print_proc_t GC_same_obj_print_proc = report_different_objects;
GC_valid_ptr_print_proc_t GC_is_visible_print_proc = report_invisible;
GC_valid_ptr_print_proc_t GC_is_valid_displacement_print_proc = report_displacement;

void GC_set_same_obj_print_proc(GC_same_obj_print_proc_t function) { GC_same_obj_print_proc = function; }
GC_same_obj_print_proc_t GC_get_same_obj_print_proc() { return GC_same_obj_print_proc; }
void GC_set_is_visible_print_proc(GC_valid_ptr_print_proc_t function) { GC_is_visible_print_proc = function; }
GC_valid_ptr_print_proc_t GC_get_is_visible_print_proc() { return GC_is_visible_print_proc; }
void GC_set_is_valid_displacement_print_proc(GC_valid_ptr_print_proc_t function) {
  GC_is_valid_displacement_print_proc = function;
}
GC_valid_ptr_print_proc_t GC_get_is_valid_displacement_print_proc() {
  return GC_is_valid_displacement_print_proc;
}

void* GC_same_obj(void* p, void* q) {
  const heap::Object* const object = object_at(p);
  const bool is_same =
      object == object_at(q) && (object != nullptr || (!lies_in_heap(p) && !lies_in_heap(q)));
  if (!is_same) GC_same_obj_print_proc(p, q);
  return p;
}

void* GC_is_visible(void* p) {
  if (!lies_in_heap(p)) return p;  // whether p points into a root is not known here
  const heap::Object* const object = object_at(p);
  const bool is_visible =
      object != nullptr && heap::Chunk::of(object)->contents_of(object) != heap::Contents::data;
  if (!is_visible) GC_is_visible_print_proc(p);
  return p;
}

void* GC_is_valid_displacement(void* p) {
  if (!lies_in_heap(p)) return p;
  const heap::Object* const object = object_at(p);
  const bool keeps = object != nullptr && heap::slot_at_word(collector().heap().map(),
                                                             reinterpret_cast<std::uintptr_t>(p)) == object;
  if (!keeps) GC_is_valid_displacement_print_proc(p);
  return p;
}

void* GC_pre_incr(void** p, std::ptrdiff_t bytes) {
  void* const before = *p;
  *p = GC_same_obj(static_cast<std::byte*>(before) + bytes, before);
  return *p;
}

void* GC_post_incr(void** p, std::ptrdiff_t bytes) {
  void* const before = *p;
  GC_pre_incr(p, bytes);
  return before;
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
