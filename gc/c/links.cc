// Links that disappear and toggle references: gc.h, section 9.
#include <cstdint>
#include <mutex>

#include "gc/c/checked_objects.h"
#include "gc/c/finalizers.h"
#include "gc/c/log.h"
#include "gc/c/object_start.h"
#include "gc/c/settings.h"
#include "gc/c/start.h"
#include "gc/finalization/finalization.h"

namespace jackdaw::c_interface {

namespace {

using gc::LinkResult;
using gc::WeakLinks;
using Table = WeakLinks gc::Finalization::*;

constexpr Table kShort = &gc::Finalization::short_links;
constexpr Table kLong = &gc::Finalization::long_links;

int code_of(LinkResult result) {
  switch (result) {
    case LinkResult::success:
      return GC_SUCCESS;
    case LinkResult::duplicate:
      return GC_DUPLICATE;
    case LinkResult::not_found:
      return GC_NOT_FOUND;
    case LinkResult::no_memory:
      return GC_NO_MEMORY;
  }
  __builtin_unreachable();
}

void check(void** link) {
  if (link == nullptr || reinterpret_cast<std::uintptr_t>(link) % alignof(void*) != 0)
    abort_program("a link that is to disappear must be an aligned word");
}

int register_link(Table table, void** link, const void* address) {
  check(link);
  if (GC_find_leak != 0) return GC_UNIMPLEMENTED;
  gc::ProcessCollector& collector = c_interface::collector();
  heap::Object* const object = object_at(address);
  if (object == nullptr) return GC_SUCCESS;  // nothing outside the heap ever dies
  const std::lock_guard lock(collector.lock());
  return code_of((collector.dead().finalization().*table).register_link(link, object));
}

int move_link(Table table, void** link, void** new_link) {
  check(new_link);
  gc::ProcessCollector& collector = c_interface::collector();
  const std::lock_guard lock(collector.lock());
  return code_of((collector.dead().finalization().*table).move_link(link, new_link));
}

int unregister_link(Table table, void** link) {
  gc::ProcessCollector& collector = c_interface::collector();
  const std::lock_guard lock(collector.lock());
  return (collector.dead().finalization().*table).unregister_link(link) ? 1 : 0;
}

gc::Hold hold_of(heap::Object* object) {
  // The program may have freed it, and its memory may be gone.
  if (object_at(object) != object) return gc::Hold::dropped;
  switch (settings.toggleref_func(object)) {
    case GC_TOGGLE_REF_DROP:
      return gc::Hold::dropped;
    case GC_TOGGLE_REF_STRONG:
      return gc::Hold::strongly;
    case GC_TOGGLE_REF_WEAK:
      return gc::Hold::weakly;
  }
  abort_program("the function for toggle references returned something else than its three values");
}

}  // namespace

void ask_about_toggle_references() {
  if (settings.toggleref_func != nullptr) collector().dead().finalization().toggle_references.update(hold_of);
}

#pragma GCC visibility push(default)
extern "C" {

int GC_general_register_disappearing_link(void** link, const void* object) {
  return register_link(kShort, link, object);
}

int GC_register_disappearing_link(void** link) {
  void* const object = GC_base(link);
  if (object == nullptr) abort_program("GC_register_disappearing_link: the link lies in no object");
  return register_link(kShort, link, object);
}

int GC_move_disappearing_link(void** link, void** new_link) { return move_link(kShort, link, new_link); }
int GC_unregister_disappearing_link(void** link) { return unregister_link(kShort, link); }

int GC_register_long_link(void** link, const void* object) { return register_link(kLong, link, object); }
int GC_move_long_link(void** link, void** new_link) { return move_link(kLong, link, new_link); }
int GC_unregister_long_link(void** link) { return unregister_link(kLong, link); }

void GC_set_toggleref_func(GC_toggleref_func function) { write_locked(settings.toggleref_func, function); }
GC_toggleref_func GC_get_toggleref_func() { return read_locked(settings.toggleref_func); }

int GC_toggleref_add(void* address, int is_strong) {
  gc::ProcessCollector& collector = c_interface::collector();
  heap::Object* const object = object_at(address);
  const std::lock_guard lock(collector.lock());
  if (settings.toggleref_func == nullptr || object == nullptr) return GC_SUCCESS;
  return collector.dead().finalization().toggle_references.add(object, is_strong != 0) ? GC_SUCCESS
                                                                                       : GC_NO_MEMORY;
}

int GC_debug_toggleref_add(void* address, int is_strong) {
  if (checked_header_of(address) == nullptr)
    log_line("jackdaw: GC_debug_toggleref_add was given %p, which no allocation with checks returned",
             address);
  return GC_toggleref_add(address, is_strong);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
