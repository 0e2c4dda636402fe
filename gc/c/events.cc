#include "gc/c/events.h"

#include "gc/c/checked_objects.h"
#include "gc/c/hooks.h"

namespace jackdaw::c_interface {

void on_collection_event(gc::CollectionEvent event) {
  if (event == gc::CollectionEvent::mark_start) note_smashed_objects();
  if (event == gc::CollectionEvent::end) report_noted_objects();
  tell_program(event);
}

}  // namespace jackdaw::c_interface
