// Disclaim procedures, and objects with a finalizer in their first word: gc_disclaim.h.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>

#include "gc/c/allocate.h"
#include "gc/c/interface.h"
#include "gc/c/kinds.h"
#include "gc/c/log.h"
#include "gc/finalization/disclaim_procedures.h"

namespace jackdaw::c_interface {

namespace {

// The first word of an object of GC_finalized_malloc is the address of its closure plus this bit. An object
// that is not set up yet is zero, so the bit tells them apart.
constexpr std::uintptr_t kHasClosure = 1;

constinit std::once_flag finalized_kind_made;
constinit heap::KindNumber finalized_kind{};

int call_closure(void* object) {
  const std::uintptr_t word = *static_cast<const std::uintptr_t*>(object);
  if ((word & kHasClosure) == 0) return 0;
  const auto& closure = *reinterpret_cast<const GC_finalizer_closure*>(word & ~kHasClosure);
  closure.proc(static_cast<std::uintptr_t*>(object) + 1, closure.cd);
  return 0;
}

void make_finalized_kind() {
  // These displacements are needed where not all interior pointers count: for the object's address, and for a
  // closure in the heap, with checks or without.
  GC_register_displacement(sizeof(std::uintptr_t));
  GC_register_displacement(kHasClosure);
  GC_debug_register_displacement(kHasClosure);
  const auto kind = static_cast<int>(GC_new_kind(GC_new_free_list(), GC_DS_LENGTH, 1, 1));
  GC_register_disclaim_proc(kind, call_closure, 1);
  finalized_kind = heap_kind(kind);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void GC_register_disclaim_proc(int kind, GC_disclaim_proc procedure, int mark_from_all) {
  if (GC_find_leak != 0) return;
  gc::ProcessCollector& collector = c_interface::collector();
  const heap::KindNumber number = heap_kind(kind);
  if (kind < 0 || static_cast<std::size_t>(number) >= collector.heap().kinds().count())
    abort_program("GC_register_disclaim_proc: there is no such kind of objects");
  collector.dead().disclaim_procedures().set(number, procedure, mark_from_all != 0);
}

void GC_init_finalized_malloc() {
  GC_init();
  std::call_once(finalized_kind_made, make_finalized_kind);
}

void* GC_finalized_malloc(std::size_t bytes, const GC_finalizer_closure* closure) {
  constexpr std::size_t kWord = sizeof(std::uintptr_t);
  if (finalized_kind == heap::KindNumber{})
    abort_program("GC_finalized_malloc needs GC_init_finalized_malloc");
  const bool fits = bytes <= std::numeric_limits<std::size_t>::max() - kWord;
  void* const object = fits ? try_allocate(bytes + kWord, finalized_kind) : nullptr;
  if (object == nullptr) return out_of_memory(bytes);
  auto* const first = static_cast<std::uintptr_t*>(object);
  *first = reinterpret_cast<std::uintptr_t>(closure) | kHasClosure;
  GC_reachable_here(closure);
  return first + 1;
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
