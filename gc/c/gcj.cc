// Objects that begin with a pointer to their type: gc_gcj.h.
#include <cstddef>
#include <mutex>

#include "gc/c/allocate.h"
#include "gc/c/checked_objects.h"
#include "gc/c/environment.h"
#include "gc/c/interface.h"
#include "gc/c/kinds.h"
#include "gc/c/log.h"
#include "gc/marking/layout_word.h"

namespace jackdaw::c_interface {

namespace {

constinit std::once_flag gcj_kinds_made;

GC_ms_entry* lack_procedure(GC_word*, GC_ms_entry*, GC_ms_entry*, GC_word) {
  abort_program("an object of GC_gcj_malloc needs the mark procedure that GC_init_gcj_malloc was not given");
}

void define_procedure(int index, GC_mark_proc procedure) {
  const auto number = static_cast<std::size_t>(index);
  if (index < 0 || !gc::MarkProcedures::is_for_program(number))
    abort_program("GC_init_gcj_malloc was given a number that no mark procedure may have");
  gc::MarkProcedures::define(number, procedure != nullptr ? procedure : lack_procedure);
}

int new_gcj_kind(GC_word descriptor, int add_size) {
  return static_cast<int>(GC_new_kind(GC_new_free_list(), descriptor, add_size, 1));
}

void make_gcj_kinds(int index) {
  if (is_switched_on("GC_IGNORE_GCJ_INFO")) {
    GC_gcj_debug_kind = GC_gcj_kind = new_gcj_kind(GC_DS_LENGTH, 1);
    return;
  }
  constexpr auto kSecondWordOfType = -static_cast<GC_word>(GC_GCJ_MARK_DESCR_OFFSET + GC_INDIR_PER_OBJ_BIAS);
  GC_gcj_kind = new_gcj_kind(kSecondWordOfType | GC_DS_PER_OBJECT, 0);
  GC_gcj_debug_kind = new_gcj_kind(GC_MAKE_PROC(static_cast<GC_word>(index), GC_word{1}), 0);
}

heap::KindNumber made_kind(int kind) {
  if (kind == 0) abort_program("GC_gcj_malloc needs GC_init_gcj_malloc");
  return heap_kind(kind);
}

void* allocate_of_type(std::size_t bytes, void* type, heap::LargeAddresses addresses) {
  void* const object = try_allocate(bytes, made_kind(GC_gcj_kind), addresses);
  if (object == nullptr) return out_of_memory(bytes);
  *static_cast<void**>(object) = type;
  return object;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int GC_gcj_kind = 0;
int GC_gcj_debug_kind = 0;

void GC_init_gcj_malloc(int index, void* mark_procedure) {
  GC_init();
  std::call_once(gcj_kinds_made, [=] {
    define_procedure(index, reinterpret_cast<GC_mark_proc>(mark_procedure));
    make_gcj_kinds(index);
  });
}

void GC_init_gcj_malloc_mp(unsigned number, GC_mark_proc procedure, std::size_t descriptor_offset) {
  if (descriptor_offset != GC_GCJ_MARK_DESCR_OFFSET)
    abort_program("GC_init_gcj_malloc_mp: the descriptor of a type must be its second word");
  GC_init_gcj_malloc(static_cast<int>(number), reinterpret_cast<void*>(procedure));
}

void* GC_gcj_malloc(std::size_t bytes, void* type) {
  return allocate_of_type(bytes, type, heap::LargeAddresses::all);
}

void* GC_gcj_malloc_ignore_off_page(std::size_t bytes, void* type) {
  return allocate_of_type(bytes, type, heap::LargeAddresses::near_start);
}

void* GC_debug_gcj_malloc(std::size_t bytes, void* type, const char* file, int line) {
  void* const object = allocate_checked(bytes, made_kind(GC_gcj_debug_kind), {file, line});
  // If it is no checked object, the out-of-memory function returned it.
  if (checked_header_of(object) != nullptr) *static_cast<void**>(object) = type;
  return object;
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
