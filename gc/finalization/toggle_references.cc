#include "gc/finalization/toggle_references.h"

namespace jackdaw::gc {

void ToggleReferences::forget_freed(const WeakProcessing& marking) {
  references_.remove_if(
      [&](const Reference& reference) { return marking.object_at(reference.object) != reference.object; });
}

void ToggleReferences::remove_dead() {
  references_.remove_if(
      [](const Reference& reference) { return !WeakProcessing::is_marked(reference.object); });
}

}  // namespace jackdaw::gc
