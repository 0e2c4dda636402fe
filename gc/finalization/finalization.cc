#include "gc/finalization/finalization.h"

namespace jackdaw::gc {

void Finalization::forget_freed(const WeakProcessing& marking) {
  finalizers.forget_freed([&](const heap::Object* object) { return marking.object_at(object) == object; });
  toggle_references.forget_freed(marking);
  short_links.forget_freed(marking);
  long_links.forget_freed(marking);
}

void Finalization::process(WeakProcessing& marking, bool java) {
  // Short links are cleared before finalizers resurrect objects.
  short_links.clear_dead(marking);
  finalizers.find_unreachable(marking, java);
  // From here on nothing more is marked.
  short_links.drop_dangling(marking);
  toggle_references.remove_dead();
  long_links.clear_dead(marking);
  long_links.drop_dangling(marking);
}

void Finalization::drop(const WeakProcessing& marking) {
  finalizers.forget_all();
  toggle_references.remove_dead();
  for (WeakLinks* const links : {&short_links, &long_links}) {
    links->clear_dead(marking);
    links->drop_dangling(marking);
  }
}

}  // namespace jackdaw::gc
