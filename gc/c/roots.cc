// Roots and displacements: gc.h, section 11, and the roots of gc_mark.h.
#include "gc/c/roots.h"

#include <cstdint>
#include <mutex>
#include <new>

#include "gc/c/log.h"
#include "gc/c/settings.h"
#include "gc/c/start.h"
#include "heap/displacements.h"
#include "heap/word_scan.h"

namespace jackdaw::c_interface {

namespace {

// The collector finds all its roots itself. The program may save this function and call it from the one that
// replaces it.
void push_nothing() {}

heap::Words words_between(void* low, void* high) {
  return heap::whole_words_between(reinterpret_cast<std::uintptr_t>(low),
                                   reinterpret_cast<std::uintptr_t>(high));
}

// Calls `change(roots)`. Ends the program when there is no memory to note its roots.
template <typename Change>
void change_roots(Change change) {
  try {
    change(collector().roots().static_data());
  } catch (const std::bad_alloc&) {
    abort_program("there is no memory to note roots");
  }
}

bool has_static_roots(const char* library, const void* begin, std::size_t bytes) {
  return settings.has_static_roots(library, const_cast<void*>(begin), bytes) != 0;
}

}  // namespace

void push_other_roots() {
  if (GC_push_other_roots != nullptr) GC_push_other_roots();
}

#pragma GCC visibility push(default)
extern "C" {

GC_push_other_roots_proc GC_push_other_roots = push_nothing;

void GC_add_roots(void* low, void* high) {
  change_roots([=](gc::StaticRoots& roots) { roots.add(low, high); });
}
void GC_remove_roots(void* low, void* high) { collector().roots().static_data().remove(low, high); }
void GC_clear_roots() { collector().roots().static_data().clear(); }
void GC_exclude_static_roots(void* low, void* high) {
  change_roots([=](gc::StaticRoots& roots) { roots.exclude(low, high); });
}
void GC_clear_exclusion_table() { collector().roots().static_data().clear_exclusions(); }

int jackdaw_code_roots_add(void* low, void* high) {
  try {
    collector().roots().static_data().add_code(low, high);
    return 1;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}
void jackdaw_code_roots_remove(void* low, void* high) {
  collector().roots().static_data().remove_code(low, high);
}

int GC_is_tmp_root(void* address) {
  return collector().roots().static_data().is_in_loaded_data(address) ? 1 : 0;
}

void GC_register_has_static_roots_callback(GC_has_static_roots_func function) {
  gc::ProcessCollector& collector = c_interface::collector();
  const gc::NestedLock lock(collector.lock());
  settings.has_static_roots = function;
  collector.roots().static_data().set_library_filter(function != nullptr ? has_static_roots : nullptr);
}

void GC_set_no_dls(int no_dls) {
  GC_no_dls = no_dls;
  if (GC_is_init_called() != 0) collector().roots().static_data().set_scans_libraries(no_dls == 0);
}
int GC_get_no_dls() { return GC_no_dls; }

void GC_set_all_interior_pointers(int all) {
  if (GC_is_init_called() != 0) return;
  GC_all_interior_pointers = all != 0 ? 1 : 0;
}
int GC_get_all_interior_pointers() { return GC_all_interior_pointers; }

void GC_register_displacement(std::size_t offset) {
  if (offset >= heap::Displacements::kLimit)
    abort_program("GC_register_displacement: the offset is too large");
  c_interface::collector().add_displacement(offset);
}
void GC_debug_register_displacement(std::size_t offset) {
  GC_register_displacement(offset);
  GC_register_displacement(offset + GC_get_debug_header_size());
}

void GC_set_push_other_roots(GC_push_other_roots_proc procedure) { GC_push_other_roots = procedure; }
GC_push_other_roots_proc GC_get_push_other_roots() { return GC_push_other_roots; }

void GC_push_all(void* low, void* high) { collector().roots().scan(words_between(low, high)); }
void GC_push_all_eager(void* low, void* high) { collector().roots().scan_stack(words_between(low, high)); }
void GC_push_conditional(void* low, void* high, int) { GC_push_all(low, high); }
void GC_push_finalizer_structures() {}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
