#include "gc/finalization/toggle_references.h"

namespace jackdaw::gc {

void ToggleReferences::remove_dead() {
  references_.remove_if(
      [](const Reference& reference) { return !WeakProcessing::is_marked(reference.object); });
}

}  // namespace jackdaw::gc
