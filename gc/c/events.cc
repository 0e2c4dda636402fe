#include "gc/c/events.h"

#include "gc/c/checked_objects.h"
#include "gc/c/free_lists.h"
#include "gc/c/free_profiler.h"
#include "gc/c/hooks.h"
#include "gc/c/leaks.h"
#include "gc/c/start.h"

namespace jackdaw::c_interface {

void on_collection_event(gc::CollectionEvent event) {
  if (event == gc::CollectionEvent::mark_start) {
    forget_free_lists();
    note_smashed_objects();
    // This comes before links are cleared: one may lie in the word that chains a freed slot to the next.
    if (GC_find_leak != 0 || has_free_profiler) collector().heap().withdraw_free_slots();
  }
  if (event == gc::CollectionEvent::mark_end) {
    note_leaks();
    tell_profiler_of_dead();
  }
  if (event == gc::CollectionEvent::end) report_noted_objects();
  tell_program(event);
}

}  // namespace jackdaw::c_interface
